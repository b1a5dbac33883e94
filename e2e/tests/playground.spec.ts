import type { Locator, Page } from '@playwright/test';
import { signInInJapanese } from '../support/japanese.ts';
import type { Signalbox } from '../support/signalbox.ts';
import { greeting, Talker, THOUGHT } from '../support/talker.ts';
import { expect, expectAccessible, open, signIn, test as base } from '../support/test.ts';

/** With a server that talks, and two routes that lead to its models. */
const test = base.extend<{ talker: Talker }>({
  talker: async ({ signalbox }, use) => {
    const talker = await Talker.start();
    await addRoutes(signalbox, talker);
    await use(talker);
    talker.stop();
  },
});

// The browser itself reports every answer that is no success, and a record that is not there yet is one.
test.use({ tolerated: /status of 4(00|04)|ERR_INCOMPLETE_CHUNKED_ENCODING/ });

async function addRoutes(signalbox: Signalbox, talker: Talker): Promise<void> {
  await signalbox.api('POST', '/providers', {
    name: 'local',
    kind: 'openai',
    instances: [{ url: talker.url }],
    models: ['small', 'large'].map((name) => ({ name, category: 'llm' })),
  });
  for (const [name, model] of [
    ['alpha', 'small'],
    ['beta', 'large'],
  ]) {
    await signalbox.api('POST', '/routes', { name, targets: [{ provider: 'local', model }] });
  }
}

function conversation(page: Page, number = 1): Locator {
  return page.getByRole('region', { name: `Conversation ${number}` });
}

function message(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message' });
}

/** Says it, and waits until everybody has answered. */
async function say(page: Page, words: string): Promise<void> {
  await message(page).fill(words);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(message(page)).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
}

test('an answer streams in, and says why it came from where it did', async ({ page, talker }) => {
  await open(page, '/playground');
  await signIn(page);
  await expect(page.getByRole('combobox', { name: 'Route of conversation 1' })).toHaveValue(
    'alpha',
  );
  await expectAccessible(page);
  const answers = conversation(page).locator('.turn-answer');

  await test.step('thinks, then speaks', async () => {
    await message(page).fill('Please think, then greet.');
    await message(page).press('Control+Enter');
    await expect(answers).toHaveText([greeting('small')]);
    await conversation(page).getByText('Reasoning').click();
    await expect(conversation(page).getByText(THOUGHT)).toBeVisible();
    await expect(
      conversation(page).getByRole('status').filter({ hasText: 'Answer of alpha' }),
    ).toContainText(greeting('small'));
  });

  await test.step('says why', async () => {
    const why = conversation(page).getByRole('group', { name: 'Why it went there' });
    await expect(why).toContainText('local/small');
    await expect(why.getByRole('link', { name: 'Open the request' })).toHaveAttribute(
      'href',
      /^\/requests\/[0-9a-f-]{36}$/,
    );
    await expectAccessible(page);
  });

  await test.step('sends neither cookie nor key upstream', async () => {
    const [asked] = talker.asked;
    expect(asked?.path).toBe('/v1/chat/completions');
    expect(asked?.headers.cookie).toBeUndefined();
    expect(asked?.headers.authorization).toBeUndefined();
    expect(asked?.body).toMatchObject({ model: 'small', stream: true, max_tokens: 512 });
  });

  await test.step('knows what was said before', async () => {
    await page.getByLabel('Session key').fill('demo-session');
    await page.getByLabel('System text').fill('Be short.');
    await page.getByLabel('Max tokens').fill('64');
    await say(page, 'And again.');
    await expect.poll(() => talker.asked.length).toBe(2);
    await expect(answers).toHaveCount(2);
    const asked = talker.asked.at(-1);
    expect(asked?.headers['session-id']).toBe('demo-session');
    expect(asked?.body).toMatchObject({
      max_tokens: 64,
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Please think, then greet.' },
        { role: 'assistant', content: greeting('small') },
        { role: 'user', content: 'And again.' },
      ],
    });
  });

  await test.step('starts anew', async () => {
    await page.getByRole('button', { name: 'Start anew' }).click();
    await expect(answers).toHaveCount(0);
    await expect(message(page)).toBeFocused();
  });
});

test('each path is spoken in its own dialect', async ({ page, talker }) => {
  await open(page, '/playground');
  await signIn(page);
  for (const path of ['/v1/responses', '/v1/messages']) {
    await page.getByRole('radio', { name: path }).check();
    await say(page, 'Please think, then greet.');
    await expect(conversation(page).locator('.turn-answer').last()).toHaveText(greeting('small'));
    await expect(conversation(page).locator('.turn-thoughts > p').last()).toHaveText(THOUGHT);
    expect(talker.asked.at(-1)?.path).toBe(path);
  }
  expect(talker.asked.at(-1)?.headers['anthropic-version']).toBe('2023-06-01');
});

test('three routes are compared side by side', async ({ page, talker }) => {
  await open(page, '/playground');
  await signIn(page);
  const add = page.getByRole('button', { name: 'Compare with another route' });
  await add.click();
  await expect(page.getByRole('combobox', { name: 'Route of conversation 2' })).toHaveValue('beta');
  await add.click();
  await page.getByRole('combobox', { name: 'Route of conversation 3' }).fill('alpha');
  await expect(add).toBeHidden();
  await say(page, 'Hello.');
  for (const [number, model] of [
    [1, 'small'],
    [2, 'large'],
    [3, 'small'],
  ] as const) {
    await expect(conversation(page, number).locator('.turn-answer')).toHaveText(greeting(model));
    await expect(conversation(page, number)).toContainText(`local/${model}`);
  }
  expect(talker.asked.length).toBe(3);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Remove conversation 2' }).click();
  await expect(page.getByRole('combobox', { name: /^Route of/ })).toHaveCount(2);
  await page.setViewportSize({ width: 380, height: 800 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(380);
  await expectAccessible(page);
});

test('an answer is stopped, and its request given up', async ({ page, talker }) => {
  await open(page, '/playground');
  await signIn(page);
  await message(page).fill('Greet me slowly.');
  await page.getByRole('button', { name: 'Send' }).click();
  const answer = conversation(page).locator('.turn-answer');
  await expect(answer).toHaveText('Grüße');
  await expect(conversation(page).getByText('Answer of alpha')).toHaveCount(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(conversation(page).getByText('Stopped.')).toBeVisible();
  await expect(answer).toHaveText('Grüße');
  await expect.poll(() => talker.left).toBe(1);
});

test('what goes wrong is said in a sentence, and what was typed stays', async ({
  page,
  talker,
}) => {
  await open(page, '/playground');
  await signIn(page);
  const alert = conversation(page).getByRole('alert');

  await test.step('a refusal', async () => {
    await message(page).fill('Please refuse.');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(alert).toContainText('400: That is too long for me.');
    await expect(message(page)).toHaveValue('Please refuse.');
    await expectAccessible(page);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => talker.asked.length).toBe(2);
    await expect(alert).toHaveCount(1);
  });

  await test.step('no such route', async () => {
    const route = page.getByRole('combobox', { name: 'Route of conversation 1' });
    await route.fill('missing');
    await route.press('Escape');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(alert.last()).toContainText('404: ');
    await expect(alert.last()).toContainText('missing');
  });

  await test.step('a stream that breaks', async () => {
    await page.getByRole('combobox', { name: 'Route of conversation 1' }).fill('beta');
    await message(page).fill('Please break.');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(alert.last()).toContainText('The answer broke off before its end.');
    await expect(conversation(page).locator('.turn-answer').last()).toHaveText('Grüße');
  });

  await test.step('a field', async () => {
    const limit = page.getByLabel('Max tokens');
    await limit.fill('none');
    await expect(limit).toHaveAttribute('aria-invalid', 'true');
    const before = talker.asked.length;
    await message(page).fill('Hello.');
    await message(page).press('Control+Enter');
    await expect(limit).toBeFocused();
    expect(talker.asked.length).toBe(before);
    await expect(message(page)).toHaveValue('Hello.');
  });
});

test('the same request is shown as code', async ({ page, signalbox, talker }) => {
  await open(page, '/playground');
  await signIn(page);
  await page.getByLabel('Session key').fill('demo-session');
  await message(page).fill("What's up?");
  await page.getByRole('button', { name: 'View code' }).click();
  const code = page.locator('#playground-code .snippet code');
  for (const tool of ['curl', 'Python', 'Node.js']) {
    await page.getByRole('tab', { name: tool }).click();
    for (const part of [signalbox.url, 'alpha', 'demo-session', 'YOUR_API_KEY', 's up?']) {
      await expect(code, tool).toContainText(part);
    }
  }
  await expect(code).toContainText('from "openai"');
  await page.getByRole('radio', { name: '/v1/messages' }).check();
  await expect(code).toContainText('from "@anthropic-ai/sdk"');
  await page.getByRole('tab', { name: 'Python' }).click();
  await expect(code).toContainText('from anthropic import Anthropic');
  expect(talker.asked).toEqual([]);
  await expectAccessible(page);
});

base('without a route there is nobody to talk to', async ({ page }) => {
  await open(page, '/playground');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'No route to talk to yet' })).toBeVisible();
  await expectAccessible(page);
});

test.describe('in Japanese', () => {
  test.use({ locale: 'ja-JP' });

  test('the page speaks Japanese', async ({ page, talker }) => {
    await open(page, '/playground');
    await signInInJapanese(page);
    await page.getByRole('textbox', { name: 'メッセージ' }).fill('こんにちは');
    await page.getByRole('button', { name: '送信' }).click();
    const answered = page.getByRole('region', { name: '会話1' });
    await expect(answered.locator('.turn-answer')).toHaveText(greeting('small'));
    await expect(answered.getByRole('group', { name: 'そこへ送られた理由' })).toContainText(
      'local/small',
    );
    expect(talker.asked.length).toBe(1);
    await expectAccessible(page);
  });
});
