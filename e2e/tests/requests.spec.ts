import type { Page } from '@playwright/test';
import { Decider } from '../support/decider.ts';
import { addPolicyRoute, addRoute, ask, registerProviders, TARGETS } from '../support/seed.ts';
import { PASSWORD, type Signalbox } from '../support/signalbox.ts';
import { expect, expectAccessible, live, open, signIn, test } from '../support/test.ts';

const SESSION = { 'session-id': 'demo-session' };
const PROOF = 'Prove that there are infinitely many primes.';
const GREETING = 'Write a one-line greeting card.';

async function send(signalbox: Signalbox, key: string, content: string): Promise<void> {
  const answer = await ask(signalbox, key, 'qwen3', { content, headers: SESSION });
  expect(answer.status, await answer.text()).toBe(200);
}

/** The row of the request that went to a target. */
function row(page: Page, target: string) {
  return page.locator('.request-table tbody tr').filter({ hasText: target });
}

async function fits(page: Page, width: number): Promise<void> {
  const scrolled = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(scrolled).toBeLessThanOrEqual(width);
}

test('requests appear by themselves, are filtered, and tell their story', async ({
  page,
  signalbox,
  upstream,
}) => {
  test.setTimeout(120_000);
  const decider = await Decider.start();
  const route = await addPolicyRoute(signalbox, upstream, decider);
  const key = await signalbox.createKey();
  await open(page, '/requests');
  await signIn(page);
  const rows = page.locator('.request-table tbody tr');

  await test.step('before the first one, the page teaches how to send it', async () => {
    await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible();
    await expect(page.locator('.snippet')).toContainText('/v1/chat/completions');
    await expectAccessible(page);
  });

  await test.step('new ones show without a reload', async () => {
    await send(signalbox, key, PROOF);
    await expect(row(page, TARGETS[1])).toBeVisible();
    await send(signalbox, key, GREETING);
    await expect(row(page, TARGETS[0])).toBeVisible();
    await expect(rows).toHaveCount(2);
    // The newest first.
    await expect(rows.first()).toContainText(TARGETS[0]);
    await expect(row(page, TARGETS[1])).toContainText('Decision Service Routing');
    await expectAccessible(page);
  });

  await test.step('a list that is stopped stays as it is', async () => {
    const switched = page.getByRole('switch', { name: 'Live' });
    await switched.uncheck();
    await send(signalbox, key, GREETING);
    // Longer than two looks.
    await page.waitForTimeout(5_000);
    await expect(rows).toHaveCount(2);
    await switched.check();
    await expect(rows).toHaveCount(3);
  });

  await test.step('filters live in the address', async () => {
    // What the selects offer is read with the page.
    await open(page, '/requests');
    await page.getByRole('combobox', { name: 'Target' }).selectOption(TARGETS[1]);
    await expect(rows).toHaveCount(1);
    expect(new URL(page.url()).searchParams.get('target')).toBe(TARGETS[1]);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('5xx');
    await expect(page.getByText('No request matches. Change the filters.')).toBeVisible();
    await expectAccessible(page);
    await page.reload();
    await live(page);
    await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('5xx');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expect(rows).toHaveCount(3);
    await expect(page.getByRole('combobox', { name: 'Target' })).toHaveValue('');
  });

  await test.step('what the filters leave can be taken away as a file', async () => {
    await page.getByRole('combobox', { name: 'Target' }).selectOption(TARGETS[1]);
    await expect(rows).toHaveCount(1);
    const file = async (name: string) => {
      const link = page.getByRole('link', { name, exact: true });
      const answer = await page.request.get((await link.getAttribute('href')) ?? '');
      expect(answer.status()).toBe(200);
      return (await answer.text()).trim().split('\n');
    };
    const csv = await file('CSV');
    expect(csv).toHaveLength(2);
    expect(csv[1]).toContain(TARGETS[1]);
    const json = await file('JSON lines');
    expect(json.map((line) => JSON.parse(line).target)).toEqual([TARGETS[1]]);
  });

  await test.step('one opens to its story', async () => {
    await rows.first().getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1, name: 'Request' })).toBeVisible();
    const sentence = page.locator('.story-sentence');
    await expect(sentence).toContainText(
      'Went to qwen3-32b: the decision service gave it 0.90 with confidence 0.80',
    );
    // Two candidates, each rated by two scorers.
    const ranking = page.getByRole('region', { name: 'Ranking' });
    await expect(ranking.getByRole('listitem').filter({ hasText: 'in flight' })).toHaveCount(2);
    await expect(ranking.locator('.score-bar rect')).toHaveCount(4);
    await expect(ranking.locator('.ranked').first()).toContainText(TARGETS[1]);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await expect(timeline).toContainText('Decide');
    await expect(timeline).toContainText(`Ask ${TARGETS[1]}`);
    await expect(page.getByRole('region', { name: 'Attempts' })).toContainText('200');
    await expect(page.getByRole('region', { name: 'Decision' })).toContainText('jev-1.13.0');
    const facts = page.getByRole('region', { name: 'Facts' });
    await expect(facts).toContainText('from the header session-id');
    await expect(facts).toContainText('Unknown: the upstream did not say.');
    await expectAccessible(page);
  });

  await test.step('it is asked again under present settings', async () => {
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByLabel('Headers').fill('session-id: demo-session');
    const asked = decider.asked.length;
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect(page.getByText('It would go to the same instance.')).toBeVisible();
    await expect(page.locator('.compared .ranking')).toHaveCount(2);
    expect(decider.asked.length).toBe(asked);
    await expectAccessible(page);
  });

  await test.step('What if shows where others would have gone', async () => {
    await page.getByRole('link', { name: 'What if' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'What if' })).toBeVisible();
    expect(new URL(page.url()).searchParams.get('route')).toBe(route);
    const weight = page.getByLabel('Weight of Decision Service Routing');
    await expect(weight).toHaveValue('10');
    await weight.fill('none');
    const replay = page.getByRole('button', { name: 'Replay' });
    await replay.click();
    await expect(page.getByText('Write a positive number.')).toBeVisible();
    await expect(weight).toHaveAttribute('aria-invalid', 'true');
    // Without the decision service the session's owner takes all.
    await page.getByRole('switch', { name: 'Decision Service Routing' }).uncheck();
    await replay.click();
    const answer = page.getByRole('region', { name: 'What would have been' });
    await expect(answer).toContainText('Replayed3');
    await expect(answer.locator('tbody tr')).toHaveCount(2);
    const examples = page.getByRole('region', { name: 'The newest that would have moved' });
    await expectAccessible(page);
    await examples.getByRole('link').first().click();
    await expect(page.locator('.story-sentence')).toBeVisible();
  });
  decider.stop();
});

test('keys lead to pages, and a sheet tells them', async ({ page, signalbox, upstream }) => {
  await registerProviders(signalbox, upstream);
  await addRoute(signalbox, 'qwen3');
  await open(page, '/routes');
  await signIn(page);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  await expect(heading('Routes')).toBeVisible();

  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toContainText('Model Providers');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toBeHidden();

  // In a field they are text.
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search routes' });
  await expect(search).toBeFocused();
  await page.keyboard.type('gp?');
  await expect(search).toHaveValue('gp?');
  await expect(heading('Routes')).toBeVisible();
  await search.blur();

  for (const [key, name] of [
    ['p', 'Model Providers'],
    ['k', 'API Keys'],
    ['q', 'Requests'],
    ['r', 'Routes'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect(heading(name)).toBeVisible();
  }
});

test.describe('in Japanese, on a narrow screen', () => {
  test.use({ locale: 'ja-JP', viewport: { width: 380, height: 800 } });

  test('requests tell their story', async ({ page, signalbox, upstream }) => {
    test.setTimeout(120_000);
    const decider = await Decider.start();
    const route = await addPolicyRoute(signalbox, upstream, decider);
    const key = await signalbox.createKey();
    await send(signalbox, key, PROOF);
    await open(page, '/requests');
    await page.getByLabel('ユーザー名').fill('admin');
    await page.getByLabel('パスワード').fill(PASSWORD);
    await page.getByRole('button', { name: 'サインイン' }).click();
    await expect(row(page, TARGETS[1])).toBeVisible();
    await fits(page, 380);
    await expectAccessible(page);

    await row(page, TARGETS[1]).getByRole('link').click();
    await expect(page.locator('.story-sentence')).toContainText('qwen3-32bに送りました。理由: ');
    await fits(page, 380);
    await expectAccessible(page);

    await open(page, `/requests/what-if?route=${route}`);
    await page.getByRole('button', { name: '再現する' }).click();
    await expect(page.getByRole('region', { name: '結果' })).toBeVisible();
    await fits(page, 380);
    await expectAccessible(page);
    decider.stop();
  });
});
