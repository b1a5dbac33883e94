import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { signInInJapanese } from '../support/japanese.ts';
import { ask } from '../support/seed.ts';
import type { Signalbox } from '../support/signalbox.ts';
import { Talker, TOKENS } from '../support/talker.ts';
import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';
import type { Upstream } from '../support/upstream.ts';

/** Three requests whose tokens are counted, one whose tokens are not, and one for no route. */
async function traffic(signalbox: Signalbox, upstream: Upstream): Promise<void> {
  const talker = await Talker.start();
  for (const [route, url] of [
    ['counted', talker.url],
    ['uncounted', upstream.url],
  ] as const) {
    await signalbox.api('POST', '/providers', {
      name: `of-${route}`,
      kind: 'openai',
      instances: [{ url }],
      models: [{ name: 'm', category: 'llm' }],
    });
    const targets = [{ provider: `of-${route}`, model: 'm' }];
    await signalbox.api('POST', '/routes', { name: route, targets });
  }
  const key = await signalbox.createKey();
  for (const route of ['counted', 'counted', 'counted', 'uncounted']) {
    expect((await ask(signalbox, key, route)).status).toBe(200);
  }
  expect((await ask(signalbox, key, 'missing')).status).toBe(404);
  talker.stop();
}

/** Records are written in batches: asks again until the numbers are there. */
async function openUsage(page: Page, path: string, total: RegExp): Promise<void> {
  await expect(async () => {
    await open(page, path);
    await expect(page.getByRole('img', { name: total })).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 20_000 });
}

test('usage is counted by route, target and key, over hours and days', async ({
  page,
  signalbox,
  upstream,
}) => {
  await open(page, '/usage');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'No requests in this time' })).toBeVisible();
  await expectAccessible(page);

  await traffic(signalbox, upstream);
  await openUsage(page, '/usage', /^Requests per hour: 5 in all, at most \d/);
  const totals = page.getByRole('region', { name: 'Totals' });
  const row = (name: RegExp) => totals.getByRole('row', { name });

  await test.step('by route', async () => {
    const counted = row(/^counted/).getByRole('cell');
    await expect(counted).toHaveText([
      '3',
      '00 %',
      `${3 * TOKENS.input}${3 * TOKENS.cached} cached`,
      `${3 * TOKENS.output}${3 * TOKENS.reasoning} reasoning`,
      'none',
    ]);
    await expect(row(/^uncounted/)).toContainText('1 unknown');
    await expect(row(/^no such route/)).toContainText('100 %');
    await expect(row(/^All/).getByRole('cell').first()).toHaveText('5');
    await expect(page.locator('.chart .legend li')).toHaveText([
      'counted',
      /uncounted|no such route/,
      /uncounted|no such route/,
    ]);
    await expectAccessible(page);
  });

  await test.step('another measure, kept in the address', async () => {
    const tokens = 3 * (TOKENS.input + TOKENS.output);
    const drawn = page.getByRole('img', { name: `Tokens per hour: ${tokens} in all` });
    await page.getByRole('radio', { name: 'Tokens' }).check();
    await expect(drawn).toBeVisible();
    await expect(page).toHaveURL(/\/usage\?measure=tokens$/);
    await page.reload();
    await expect(page.getByRole('radio', { name: 'Tokens' })).toBeChecked();
    await expect(drawn).toBeVisible();
    await page.getByRole('radio', { name: 'Errors' }).check();
    await expect(page.getByRole('img', { name: /^Errors per hour: 1 in all/ })).toBeVisible();
    await expect(page.locator('.chart .legend li')).toHaveText(['no such route']);
  });

  await test.step('by target and by key', async () => {
    await page.getByRole('radio', { name: 'Target' }).check();
    await expect(row(/^of-counted\/m/)).toContainText('3');
    await expect(row(/^sent nowhere/)).toContainText('1');
    await page.getByRole('radio', { name: 'API key' }).check();
    await expect(row(/^e2e/).getByRole('cell').first()).toHaveText('5');
    await expect(page).toHaveURL(/\/usage\?by=key&measure=errors$/);
  });

  await test.step('over days', async () => {
    await page.getByRole('radio', { name: 'Requests' }).check();
    await page.getByRole('radio', { name: 'Week' }).check();
    await expect(page.getByRole('img', { name: /^Requests per day: 5 in all/ })).toBeVisible();
    await page.getByText('Numbers of the chart').click();
    const numbers = page.getByRole('region', { name: 'Numbers of the chart' });
    await expect(numbers.locator('tbody tr')).toHaveCount(7);
    await expect(numbers.locator('tbody tr').last().getByRole('cell')).toHaveText(['5']);
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Month' }).check();
    await expect(page).toHaveURL(/\/usage\?range=month&by=key$/);
    await expect(page.locator('.usage-numbers tbody tr')).toHaveCount(30);
  });

  await test.step('as CSV', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toContain('e2e');
  });

  await test.step('on a narrow screen', async () => {
    await page.setViewportSize({ width: 380, height: 800 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(380);
    await expect(row(/^e2e/)).toContainText('5');
    await expectAccessible(page);
  });

  await test.step('the entry of the navigation leads to the start', async () => {
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await expect(page).toHaveURL(/\/usage$/);
    await expect(page.getByRole('radio', { name: 'Day' })).toBeChecked();
    await expect(page.getByRole('radio', { name: 'Route' })).toBeChecked();
    await expect(page.getByRole('img', { name: /^Requests per hour: 5 in all/ })).toBeVisible();
  });
});

test.describe('far from UTC', () => {
  test.use({ timezoneId: 'Asia/Tokyo' });

  test('days are those of the browser', async ({ page, signalbox, upstream }) => {
    await traffic(signalbox, upstream);
    await open(page, '/usage?range=week');
    await signIn(page);
    await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
    await openUsage(page, '/usage?range=week', /^Requests per day: 5 in all/);
    const today = await page.evaluate(() =>
      new Date().toLocaleDateString('en', { month: 'short', day: 'numeric' }),
    );
    const labels = page.locator('.chart-label');
    await expect(labels).toHaveCount(7);
    await expect(labels.last()).toHaveText(today);
    await expect(page.getByRole('link', { name: 'Export as CSV' })).toHaveAttribute(
      'href',
      /&offset_min=540$/,
    );
  });
});

test.describe('in Japanese', () => {
  test.use({ locale: 'ja-JP' });

  test('the page speaks Japanese, its numbers too', async ({ page, signalbox, upstream }) => {
    await traffic(signalbox, upstream);
    await open(page, '/usage');
    await signInInJapanese(page);
    await openUsage(page, '/usage?range=week', /^1日あたりのリクエスト数: 合計 5、/);
    await expect(page.locator('.chart-label').last()).toHaveText(/^\d+月\d+日$/);
    await expect(page.getByRole('row', { name: /^uncounted/ })).toContainText('1件は不明');
    await expectAccessible(page);
  });
});
