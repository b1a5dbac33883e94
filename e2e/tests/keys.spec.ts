import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';
import { ask } from '../support/seed.ts';
import { PASSWORD, type Signalbox } from '../support/signalbox.ts';
import type { Upstream } from '../support/upstream.ts';

async function addRoute(signalbox: Signalbox, upstream: Upstream, name: string): Promise<void> {
  await signalbox.api('POST', '/providers', {
    name: `of-${name}`,
    kind: 'openai',
    instances: [{ url: upstream.url }],
    models: [{ name: 'm', category: 'llm' }],
  });
  await signalbox.api('POST', '/routes', {
    name,
    targets: [{ provider: `of-${name}`, model: 'm' }],
  });
}

test('a key is made, shown once, used, and deleted', async ({ page, signalbox, upstream }) => {
  await addRoute(signalbox, upstream, 'qwen3');
  await addRoute(signalbox, upstream, 'other');
  await open(page, '/keys');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'No API keys yet' })).toBeVisible();
  await expectAccessible(page);

  let secret = '';
  await test.step('makes it, for one route', async () => {
    await page.getByRole('link', { name: 'Add API Key', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Add API Key' })).toBeVisible();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('radio', { name: 'Chosen routes' }).check();
    await page.getByRole('checkbox', { name: 'qwen3' }).check();
    await page.getByRole('radio', { name: '7 days' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page.getByRole('heading', { name: 'API key laptop is ready' })).toBeVisible();
    secret = (await page.locator('.secret-text').textContent()) ?? '';
    expect(secret).toMatch(/^sb_[^_]{8}_.{32}$/);
  });

  await test.step('is told how to use it', async () => {
    const lines = page.locator('.snippet code');
    for (const [tool, base] of [
      ['curl', `${signalbox.url}/v1/chat/completions`],
      ['Python', `${signalbox.url}/v1`],
      ['Codex', `${signalbox.url}/v1`],
      ['Claude Code', signalbox.url],
    ] as const) {
      await page.getByRole('tab', { name: tool }).click();
      const text = (await lines.allTextContents()).join('\n');
      for (const part of [base, secret, 'qwen3']) expect(text, tool).toContain(part);
    }
    await expectAccessible(page);
  });

  await test.step('uses it, where it may', async () => {
    const answer = await ask(signalbox, secret, 'qwen3');
    expect(answer.status, await answer.text()).toBe(200);
    expect((await ask(signalbox, secret, 'other')).status).toBe(403);
  });

  await test.step('sees it in the list, without its secret', async () => {
    await page.getByRole('link', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /laptop/ });
    await expect(row).toContainText(`${secret.slice(0, 11)}_…`);
    await expect(row).toContainText('Inference');
    await expect(row).toContainText('qwen3');
    await expect(row).toContainText('just now');
    await expect(row).toContainText('in 7 d');
    await expect(row.locator('time').first()).toHaveAttribute(
      'title',
      /^[A-Z][a-z]{2} \d+, \d{4}, [\d:]+\s[AP]M UTC$/,
    );
    expect(await page.content()).not.toContain(secret);
    await expectAccessible(page);
  });

  await test.step('deletes it, after a question', async () => {
    const remove = page.getByRole('button', { name: 'Delete laptop' });
    await remove.click();
    const question = page.getByRole('dialog', { name: 'Delete this API key?' });
    await expect(question).toContainText('can no longer call qwen3');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(question).toBeHidden();
    await remove.click();
    await question.getByRole('button', { name: 'Delete key' }).click();
    await expect(page.getByRole('heading', { name: 'No API keys yet' })).toBeVisible();
    expect((await ask(signalbox, secret, 'qwen3')).status).toBe(401);
  });
});

test.describe('what is wrong', () => {
  // The browser itself reports every answer that is no success.
  test.use({ tolerated: /status of 4(01|22)/ });

  test('with a key stands beside the field, and what was typed stays', async ({ page }) => {
    await open(page, '/keys/new');
    await signIn(page);
    await page.getByRole('radio', { name: 'A date' }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page.getByLabel('Last day')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Last day').fill('2999-01-01');
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByLabel('Last day')).toHaveValue('2999-01-01');
    await expectAccessible(page);
  });

  test('with the password stands beside the field', async ({ page }) => {
    await open(page, '/settings');
    await signIn(page);
    const current = page.getByLabel('Present password');
    const next = page.getByLabel('New password');
    await current.fill('not the password');
    await next.fill('another good password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect(current).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByText('This is not the present password.')).toBeVisible();
    await expect(next).toHaveValue('another good password');
    await expectAccessible(page);

    await current.fill(PASSWORD);
    await expect(current).not.toHaveAttribute('aria-invalid');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect(page.getByText('Your password is changed.')).toBeVisible();
    await expect(current).toHaveValue('');
  });
});

test('sessions are listed and ended', async ({ page, browser, signalbox }) => {
  await open(page, '/settings');
  await signIn(page);
  const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
  // This browser's, and that of the test's own calls.
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: 'This one' })).toContainText('Chrome on Linux');
  await expect(page.getByText('SQLite')).toBeVisible();

  const context = await browser.newContext({ baseURL: signalbox.url });
  const other = await context.newPage();
  await open(other, '/settings');
  await signIn(other);
  await expect(other.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.reload();
  await expect(rows).toHaveCount(3);

  await page.getByRole('button', { name: 'Sign out all others' }).click();
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Sign out all others' }).click();
  await expect(rows).toHaveCount(1);
  await other.goto('/keys');
  await expect(other.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
  await context.close();
});

test('a theme chosen by hand is kept, and there from the start', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await open(page, '/settings');
  await signIn(page);
  const theme = page.getByRole('region', { name: 'Theme' });
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await theme.getByRole('radio', { name: 'Dark' }).check();
  expect(await scheme()).toBe('dark');
  await page.reload();
  expect(await scheme()).toBe('dark');
  await expect(theme.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await theme.getByRole('radio', { name: 'System' }).check();
  expect(await scheme()).toBe('light dark');
});
