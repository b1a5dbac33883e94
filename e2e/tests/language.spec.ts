import type { Page } from '@playwright/test';
import { expect, expectAccessible, live, open, test } from '../support/test.ts';
import { signInInJapanese as signIn } from '../support/japanese.ts';
import { addRoute, registerProviders } from '../support/seed.ts';

test.use({ locale: 'ja-JP' });

function title(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

test('a Japanese browser is answered in Japanese, also without scripts', async ({
  page,
  browser,
  signalbox,
}) => {
  const answer = await page.goto('/settings');
  expect(await answer?.text()).toContain('<html lang="ja"');
  // It may not be kept for a browser that prefers another language.
  expect(answer?.headers()['cache-control']).toBe('no-store');
  await live(page);
  await expect(page).toHaveTitle('サインイン · Signalbox');
  await signIn(page);
  await expect(title(page, '設定')).toBeVisible();

  const context = await browser.newContext({
    baseURL: signalbox.url,
    javaScriptEnabled: false,
    locale: 'ja-JP',
    storageState: await page.context().storageState(),
  });
  const plain = await context.newPage();
  await plain.goto('/routes');
  await expect(title(plain, 'ルート')).toBeVisible();
  await expect(plain.locator('html')).toHaveAttribute('lang', 'ja');
  await context.close();
});

test('a language chosen by hand stays', async ({ page }) => {
  await open(page, '/settings');
  await signIn(page);
  await expect(title(page, '設定')).toBeVisible();
  const choice = page.getByRole('region', { name: '言語' });
  await expect(choice.getByRole('radio', { name: 'システム' })).toBeChecked();

  await page.getByRole('radio', { name: 'English' }).check();
  await expect(title(page, 'Settings')).toBeVisible();
  await live(page);
  await expect(page.getByRole('radio', { name: 'English' })).toBeChecked();
  await page.reload();
  await expect(title(page, 'Settings')).toBeVisible();
  await page.getByRole('link', { name: 'API Keys' }).click();
  await expect(title(page, 'API Keys')).toBeVisible();

  await open(page, '/settings');
  await page.getByRole('radio', { name: '日本語' }).check();
  await expect(title(page, '設定')).toBeVisible();
  await live(page);

  await choice.getByRole('radio', { name: 'システム' }).check();
  await expect(page.locator('html:not([data-language-chosen])')).toBeAttached();
  await expect(title(page, '設定')).toBeVisible();
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain(
    'signalbox_language',
  );
});

test('every page in Japanese fits a narrow screen and is accessible', async ({
  page,
  signalbox,
  upstream,
}) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 380, height: 800 });
  await registerProviders(signalbox, upstream);
  await signalbox.api('POST', '/providers', {
    name: 'jev',
    kind: 'decision',
    instances: [{ url: upstream.url }],
    models: [{ name: 'jev-latest', category: 'decision' }],
  });
  const route = await addRoute(signalbox, 'qwen3', {
    policy: {
      session_affinity: {},
      least_inflight: {},
      decision_service: {
        provider: 'jev',
        model: 'jev-latest',
        criteria: { 'qwen3-0.6b': '雑談', 'qwen3-32b': '証明' },
      },
    },
  });
  await signalbox.createKey();
  const { items } = await signalbox.api<{ items: { id: string }[] }>('GET', '/providers');
  await open(page, '/routes');
  await signIn(page);

  for (const [path, name] of [
    ['/routes', 'ルート'],
    ['/routes/new', 'ルートを追加'],
    [`/routes/${route.id}`, 'ルートを編集'],
    ['/providers', 'プロバイダー'],
    ['/providers/new', 'プロバイダーを追加'],
    [`/providers/${items[0]?.id}`, 'プロバイダーを編集'],
    ['/keys', 'APIキー'],
    ['/keys/new', 'APIキーを追加'],
    ['/requests', 'リクエスト'],
    ['/requests/what-if', 'もしも'],
    ['/usage', '使用状況'],
    ['/playground', 'プレイグラウンド'],
    ['/settings', '設定'],
  ] as const) {
    await test.step(path, async () => {
      await open(page, path);
      await expect(title(page, name)).toBeVisible();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(380);
      await expectAccessible(page);
    });
  }
});
