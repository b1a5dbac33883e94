import { Decider } from '../support/decider.ts';
import { addRoute, ask, registerProviders, TARGETS } from '../support/seed.ts';
import type { Signalbox } from '../support/signalbox.ts';
import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';

const SESSION = { 'session-id': 'demo-session' };

async function target(
  signalbox: Signalbox,
  key: string,
  content: string,
  headers: Record<string, string> = SESSION,
): Promise<string | null> {
  const answer = await ask(signalbox, key, 'qwen3', { content, headers });
  expect(answer.status, await answer.text()).toBe(200);
  return answer.headers.get('x-signalbox-target');
}

test('the tutorial: from round-robin to a decision service', async ({
  page,
  signalbox,
  upstream,
}) => {
  test.setTimeout(120_000);
  const decider = await Decider.start();
  await registerProviders(signalbox, upstream);
  const key = await signalbox.createKey();
  await open(page, '/');
  await signIn(page);
  const decides = page.getByRole('complementary', { name: 'How this route decides' });
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    // A toast may still tell of the save before.
    await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
  };
  const row = page.getByRole('row', { name: /qwen3/ });
  const edit = () => page.getByRole('link', { name: 'qwen3', exact: true }).click();

  await test.step('1: both models, no weights: round-robin', async () => {
    await page.getByRole('link', { name: 'Add Route', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('qwen3');
    await page.getByRole('combobox', { name: 'Target 1' }).fill(TARGETS[0]);
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByRole('combobox', { name: 'Target 2' }).fill(TARGETS[1]);
    await save();
    await expect(row).toContainText('round-robin');
    const turns = [];
    for (let request = 0; request < 4; request++) turns.push(await target(signalbox, key, 'Hi'));
    expect(new Set(turns.slice(0, 2)).size).toBe(2);
    expect(turns.slice(2)).toEqual(turns.slice(0, 2));
  });

  await test.step('2: the balance of the two scorers', async () => {
    await edit();
    await page.getByRole('radio', { name: 'Policy' }).check();
    await expect(page.getByLabel('Weight of target 1')).toBeHidden();
    await page.getByRole('switch', { name: 'Session Affinity' }).check();
    await page.getByRole('switch', { name: 'Least Inflight Request' }).check();
    await expect(decides).toContainText('Policy');
    await expect(decides).toContainText('when that has 2 more requests in flight');
    const outcomes = decides.locator('.balance-table tbody tr');
    await expect(outcomes.nth(0)).toContainText('stays');
    await expect(outcomes.nth(1)).toContainText('stays or leaves');
    await expect(outcomes.nth(2)).toContainText('leaves');
    await page.locator('#inflight-weight').fill('1.5');
    await expect(decides).toContainText('as soon as that has a request in flight');
    await page.locator('#inflight-weight').fill('1');
  });

  await test.step('the simulator shows who wins', async () => {
    await decides.getByLabel('Session key').fill('demo-session');
    const best = decides.locator('.contender.best');
    await expect(best).toHaveCount(1);
    const owner = (await best.locator('.track-model').textContent()) ?? '';
    await best.getByRole('spinbutton').fill('2');
    await expect(best.locator('.track-model')).not.toHaveText(owner);
    await expectAccessible(page);
    await save();
    await expect(row).toContainText('Policy');
    // It is the gateway's own engine: the owner there is the owner here.
    expect(await target(signalbox, key, 'Hi')).toContain(owner);
  });

  await test.step('3: one session stays, others spread', async () => {
    const turns = new Set<string | null>();
    for (let request = 0; request < 5; request++) turns.add(await target(signalbox, key, 'Hi'));
    expect(turns.size).toBe(1);
    for (let session = 0; session < 20; session++) {
      turns.add(await target(signalbox, key, 'Hi', { 'session-id': `session ${session}` }));
    }
    expect(turns.size).toBe(2);
  });

  await test.step('4: a decision service joins', async () => {
    await page.getByRole('link', { name: 'Model Providers' }).click();
    await page.getByRole('link', { name: 'Add Provider' }).click();
    await page.getByRole('link', { name: /TypeSafe Decision Service \(Jev\)/ }).click();
    await page.getByLabel('Base URL of instance 1').fill(decider.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('row', { name: /jev/ })).toBeVisible();
    await page.getByRole('link', { name: 'Routes', exact: true }).click();
    await edit();
    await page.getByRole('switch', { name: 'Decision Service Routing' }).check();
    await page.getByLabel('Decision Service', { exact: true }).selectOption('jev');
    await page.getByRole('button', { name: 'Fetch models' }).click();
    await expect(page.getByText('Models of the service: jev-latest.')).toBeVisible();
    await page.getByRole('combobox', { name: 'Decision Model' }).click();
    await page.getByRole('option', { name: 'jev-latest' }).click();
    await page.getByLabel('Instructions').fill('Which is the smallest model that does it well?');
    await page.getByRole('button', { name: 'Generate from targets' }).click();
    const small = page.getByLabel('qwen3-0.6b', { exact: true });
    await expect(small).toHaveValue(/^qwen3-0.6b: good at/);
    await small.fill('Greetings, simple facts, formatting and small talk.');
    await page.getByRole('button', { name: 'Generate from targets' }).click();
    await expect(small).toHaveValue('Greetings, simple facts, formatting and small talk.');
    await page.getByLabel('qwen3-32b', { exact: true }).fill('Reasoning, mathematics and code.');

    await page.getByLabel('Sample prompt').fill('Prove it.');
    await page.getByRole('button', { name: 'Try it' }).click();
    await expect(page.locator('.tried')).toContainText('Confidence 0.80');
    await expect(page.locator('.bars li').first()).toContainText('qwen3-32b');
    await expectAccessible(page);
    await save();

    const greeting = 'Write a one-line greeting card.';
    const proof =
      'Prove that there are infinitely many primes, then implement the proof sketch in Python.';
    expect(await target(signalbox, key, greeting)).toBe(TARGETS[0]);
    expect(await target(signalbox, key, proof)).toBe(TARGETS[1]);
    expect(decider.asked.at(-1)).toContain(proof);
  });

  await test.step('what was saved is there when one comes back', async () => {
    await edit();
    await expect(page.getByRole('radio', { name: 'Policy' })).toBeChecked();
    await expect(page.getByLabel('Decision Service', { exact: true })).toHaveValue('1');
    await expect(page.getByLabel('qwen3-32b', { exact: true })).toHaveValue(
      'Reasoning, mathematics and code.',
    );
    await page.getByRole('radio', { name: 'Target Weight' }).check();
    await save();
    await expect(row).toContainText('round-robin');
  });
  decider.stop();
});

test.describe('what is refused', () => {
  // The browser itself reports every answer that is no success.
  test.use({ tolerated: /status of 422/ });

  test('of a policy stands at its field', async ({ page, signalbox, upstream }) => {
    await registerProviders(signalbox, upstream);
    await signalbox.api('POST', '/providers', {
      name: 'jev',
      kind: 'decision',
      instances: [{ url: 'http://127.0.0.1:9' }],
      models: [{ name: 'jev-latest', category: 'decision' }],
    });
    const { id } = await addRoute(signalbox, 'qwen3');
    await open(page, `/routes/${id}`);
    await signIn(page);
    await page.getByRole('radio', { name: 'Policy' }).check();
    const save = page.getByRole('button', { name: 'Save' });

    await page.getByRole('switch', { name: 'Least Inflight Request' }).check();
    const weight = page.locator('#inflight-weight');
    for (const wrong of ['0', '-1', 'much', '1e9']) {
      await weight.fill(wrong);
      await save.click();
      await expect(weight).toHaveAttribute('aria-invalid', 'true');
      await expect(weight).toHaveValue(wrong);
    }
    await weight.fill('');

    await page.getByRole('switch', { name: 'Session Affinity' }).check();
    for (let key = 3; key > 0; key--) {
      await page.getByRole('button', { name: `Remove session key ${key}` }).click();
    }
    await save.click();
    await expect(page.getByText('Without a session key nothing holds')).toBeVisible();
    await page.getByRole('button', { name: 'For Claude Code' }).click();
    await expect(page.getByLabel('Name of session key 1')).toHaveValue('x-claude-code-session-id');

    await page.getByRole('switch', { name: 'Decision Service Routing' }).check();
    await save.click();
    await expect(page.getByText('Choose the decision service to ask')).toBeVisible();
    await expect(page.getByText('Choose the model that decides')).toBeVisible();
    await expect(page.getByText('A choice needs criteria for at least two models')).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel('Decision Service', { exact: true }).selectOption('jev');
    await page.getByRole('button', { name: 'Generate from targets' }).click();
    const model = page.getByRole('combobox', { name: 'Decision Model' });
    await model.fill('jev-unknown');
    await save.click();
    await expect(model).toHaveAttribute('aria-invalid', 'true');
    await expect(model).toHaveValue('jev-unknown');

    // A criterion for a model that is no target any more.
    await page.getByRole('combobox', { name: 'Target 2' }).fill('local-b/gone');
    await save.click();
    await expect(page.getByText('No target has this model')).toBeVisible();
  });
});
