import { expect, expectAccessible, live, open, signIn, test } from '../support/test.ts';
import { ask, addRoute, registerProviders, TARGETS, targets } from '../support/seed.ts';

test('a newcomer signs in, adds a route, and its targets take turns', async ({
  page,
  signalbox,
  upstream,
  browser,
}) => {
  await registerProviders(signalbox, upstream);

  await test.step('signs in', async () => {
    await open(page, '/');
    await signIn(page);
    await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
  });

  await test.step('adds the route', async () => {
    await page.getByRole('link', { name: 'Add Route', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Add Route' })).toBeVisible();
    await page.getByLabel('Name', { exact: true }).fill('qwen3');

    // One target by the mouse, from the list of all models; the other by typing a part of it.
    await page.getByRole('combobox', { name: 'Target 1' }).click();
    await page.getByRole('option', { name: TARGETS[0] }).click();
    await page.getByRole('button', { name: 'Add target' }).click();
    const second = page.getByRole('combobox', { name: 'Target 2' });
    await second.fill('32b');
    await second.press('ArrowDown');
    await second.press('Enter');
    await expect(second).toHaveValue(TARGETS[1]);

    await page.getByRole('button', { name: 'Save' }).click();
  });

  await test.step('sees it in the list', async () => {
    const row = page.getByRole('row', { name: /qwen3/ });
    await expect(row).toContainText('round-robin');
    await expect(row).toContainText('Enabled');
    // And still there when the page is rendered by the server, for a browser without scripts.
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const plain = await context.newPage();
    await plain.goto(`${signalbox.url}/routes`);
    await expect(plain.getByRole('row', { name: /qwen3/ })).toContainText('round-robin');
    await context.close();
  });

  await test.step('asks it', async () => {
    const key = await signalbox.createKey();
    const turns: (string | null)[] = [];
    for (let request = 0; request < 6; request++) {
      const answer = await ask(signalbox, key, 'qwen3');
      expect(answer.status, await answer.text()).toBe(200);
      turns.push(answer.headers.get('x-signalbox-target'));
    }
    const [first, second] = turns;
    expect([first, second].sort()).toEqual(TARGETS);
    expect(turns).toEqual([first, second, first, second, first, second]);
    expect(upstream.asked.map(({ model }) => model)).toEqual(
      turns.map((target) => target?.split('/')[1]),
    );
  });
});

test('the pages carry a strict Content-Security-Policy', async ({ page }) => {
  const answer = await page.goto('/');
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/script-src[^;]*'nonce-[^']{16,}'/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe-inline');
  // 'wasm-unsafe-eval' is what wasm needs, and less than it sounds.
  expect(policy).not.toContain("'unsafe-eval'");
});

test('what is wrong with a route stands beside the field', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  await open(page, '/');
  await signIn(page);
  await page.getByRole('link', { name: 'Add Route', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('not a name');
  await page.getByRole('button', { name: 'Save' }).click();

  await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('combobox', { name: 'Target 1' })).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await expect(page.getByRole('heading', { level: 1, name: 'Add Route' })).toBeVisible();
  await expectAccessible(page);
  expect((await signalbox.api<{ items: unknown[] }>('GET', '/routes')).items).toEqual([]);
});

test.describe('at the door', () => {
  // The browser itself reports every answer that is no success.
  test.use({ tolerated: /status of 401/ });

  test('a wrong password stays outside and is told so', async ({ page }) => {
    await open(page, '/routes');
    await signIn(page, 'a wrong password');
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
    await expectAccessible(page);
  });
});

test('every page is accessible, in light and dark', async ({ page, signalbox, upstream }) => {
  await open(page, '/');
  await expectAccessible(page);

  await signIn(page);
  await expect(page.getByRole('heading', { name: 'First, register a provider' })).toBeVisible();
  await expectAccessible(page);

  await registerProviders(signalbox, upstream);
  await open(page, '/routes');
  await expect(page.getByRole('heading', { name: 'No routes yet' })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Add Route', exact: true }).click();
  await page.getByRole('combobox', { name: 'Target 1' }).click();
  await expect(page.getByRole('option', { name: TARGETS[0] })).toBeVisible();
  await expectAccessible(page);

  await addRoute(signalbox, 'qwen3', { targets: targets(100, 200) });
  await page.goto('/routes');
  await live(page);
  await expect(page.getByRole('row', { name: /qwen3/ })).toContainText('Target Weight');
  await expectAccessible(page);
});

test("a page's own code comes beside the wasm that all pages share, not after it", async ({
  page,
}) => {
  await open(page, '/');
  await signIn(page);
  await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  // One of each group of pages.
  for (const address of ['/routes/new', '/providers', '/keys', '/requests', '/usage']) {
    await session.send('Network.clearBrowserCache');
    await open(page, address);
    const loaded = await page.evaluate(() => {
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const named = (part: string) => entries.filter(({ name }) => name.includes(part));
      return {
        named: [
          ...document.querySelectorAll<HTMLLinkElement>('link[rel=preload][href*="/part-"]'),
        ].map(({ href }) => href),
        parts: named('/assets/part-').map(({ name, startTime }) => ({ name, startTime })),
        sharedIsThere: Math.min(
          ...named('/assets/signalbox-').map(({ responseEnd }) => responseEnd),
        ),
      };
    });
    expect(loaded.parts.map(({ name }) => name).sort(), address).toEqual(loaded.named.sort());
    expect(loaded.parts.length, address).toBeGreaterThan(5);
    for (const { name, startTime } of loaded.parts) {
      expect(startTime, name).toBeLessThan(loaded.sharedIsThere);
    }
  }
});

test('the first load of Routes is small', async ({ page, signalbox, upstream }) => {
  await registerProviders(signalbox, upstream);
  await addRoute(signalbox, 'qwen3');
  await open(page, '/');
  await signIn(page);
  await expect(page.getByRole('row', { name: /qwen3/ })).toBeVisible();

  // As a browser that was never here.
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await open(page, '/routes');
  await page.waitForLoadState('networkidle');
  test.info().annotations.push({ type: 'first load', description: `${bytes} bytes` });
  console.log(`first load of Routes: ${bytes} bytes, compressed, headers and page included`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(450_000);
});
