import { addRoute, ask, registerProviders, routes, targets } from '../support/seed.ts';
import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';

test('the list is searched, filtered, sorted and expanded', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  await addRoute(signalbox, 'zebra', { description: 'Striped' });
  await addRoute(signalbox, 'alpha', { targets: targets(100, 300) });
  await addRoute(signalbox, 'beta', { enabled: false });
  await open(page, '/');
  await signIn(page);
  const names = page.locator('.route-name');
  await expect(names).toHaveText(['alpha', 'beta', 'zebra']);

  await test.step('sorts', async () => {
    await page.getByRole('button', { name: 'Created' }).click();
    await expect(names).toHaveText(['zebra', 'alpha', 'beta']);
    await page.getByRole('button', { name: 'Created' }).click();
    await expect(names).toHaveText(['beta', 'alpha', 'zebra']);
    await expect(page.getByRole('columnheader', { name: 'Created' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
  });

  await test.step('searches names, descriptions and targets', async () => {
    const search = page.getByRole('searchbox', { name: 'Search routes' });
    await search.fill('STRIPED');
    await expect(names).toHaveText(['zebra']);
    await search.fill('no such route');
    await expect(page.getByText('No route matches.')).toBeVisible();
    await search.fill('');
  });

  await test.step('filters', async () => {
    await page.getByRole('combobox', { name: 'Route By' }).selectOption('Target Weight');
    await expect(names).toHaveText(['alpha']);
    await expect(page.getByText('Routes: 1 of 3')).toBeVisible();
    await page.getByRole('combobox', { name: 'Route By' }).selectOption('Any Route By');
    await page.getByRole('combobox', { name: 'State' }).selectOption('Disabled');
    await expect(names).toHaveText(['beta']);
    await page.getByRole('combobox', { name: 'State' }).selectOption('Any state');
  });

  await test.step('expands to targets and instances', async () => {
    const expander = page.getByRole('button', { name: 'Targets and instances of alpha' });
    await expander.click();
    await expect(expander).toHaveAttribute('aria-expanded', 'true');
    const details = page.locator('.route-details:visible');
    await expect(details).toContainText('75 %');
    await expect(details).toContainText(new URL(upstream.url).host);
    await expectAccessible(page);
  });
});

test('a route is switched off and on, and counts at once', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  await addRoute(signalbox, 'qwen3');
  const key = await signalbox.createKey();
  await open(page, '/');
  await signIn(page);

  const state = page.getByRole('switch', { name: 'qwen3 takes requests' });
  await state.click();
  await expect(page.getByText('Route qwen3 takes no more requests.')).toBeVisible();
  expect((await ask(signalbox, key, 'qwen3')).status).toBe(404);
  await expect(page.getByRole('row', { name: /qwen3/ })).toContainText('0 of 2');

  await page.getByRole('switch', { name: 'qwen3 takes requests' }).click();
  await expect(page.getByText('Route qwen3 takes requests.')).toBeVisible();
  expect((await ask(signalbox, key, 'qwen3')).status).toBe(200);
});

test('a route is duplicated, and the copy is its own', async ({ page, signalbox, upstream }) => {
  await registerProviders(signalbox, upstream);
  await addRoute(signalbox, 'qwen3', { description: 'Original', targets: targets(100, 300) });
  await open(page, '/');
  await signIn(page);
  await page.getByRole('link', { name: 'Duplicate qwen3' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('qwen3-copy');
  await expect(page.getByLabel('Description')).toHaveValue('Original');
  await expect(page.getByLabel('Weight of target 2')).toHaveValue('300');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Route qwen3-copy is saved.')).toBeVisible();
  expect((await routes(signalbox)).map(({ name }) => name)).toEqual(['qwen3', 'qwen3-copy']);
});

test('routes are deleted, one and several, after a question', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  for (const name of ['one', 'two', 'three', 'held']) await addRoute(signalbox, name);
  await signalbox.api('POST', '/keys', { name: 'laptop', routes: ['held'] });
  await open(page, '/');
  await signIn(page);

  await test.step('one; Escape keeps it', async () => {
    await page.getByRole('button', { name: 'Delete one' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete one?' });
    await expect(dialog).toContainText('Requests that name one as their model are refused');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await page.getByRole('button', { name: 'Delete one' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('Route one is deleted.')).toBeVisible();
    await expect(page.locator('.route-name')).toHaveText(['held', 'three', 'two']);
  });

  await test.step('several; the one that a key is limited to stays', async () => {
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await expect(page.getByText('Selected: 3')).toBeVisible();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 routes?' });
    await expect(dialog).toContainText('held, three, two');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('Routes deleted: 2.')).toBeVisible();
    await expect(page.locator('.toast.danger')).toContainText('laptop');
    await expect(page.locator('.route-name')).toHaveText(['held']);
    expect((await routes(signalbox)).map(({ name }) => name)).toEqual(['held']);
  });
});

test('a thousand routes and ten thousand models stay usable', async ({
  page,
  signalbox,
  upstream,
}) => {
  test.setTimeout(360_000);
  const models = Array.from({ length: 10_000 }, (_, index) => ({
    name: `model-${String(index).padStart(5, '0')}`,
    category: 'llm',
  }));
  const instances = [{ url: upstream.url }];
  await signalbox.api('POST', '/providers', { name: 'big', kind: 'openai', instances, models });
  for (let index = 0; index < 1000; index++) {
    await signalbox.api('POST', '/routes', {
      name: `route-${String(index).padStart(4, '0')}`,
      targets: [
        { provider: 'big', model: models[index]?.name },
        { provider: 'big', model: models[index + 1]?.name },
      ],
    });
  }
  await open(page, '/');
  await signIn(page);

  const names = page.locator('.route-name');
  await expect(names).toHaveCount(100);
  await expect(page.getByText('Routes: 1000')).toBeVisible();
  await page.getByRole('button', { name: 'Show 100 more' }).click();
  await expect(names).toHaveCount(200);
  await page.getByRole('searchbox', { name: 'Search routes' }).fill('route-0777');
  await expect(names).toHaveText(['route-0777']);

  await names.first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Edit route' })).toBeVisible();
  const first = page.getByRole('combobox', { name: 'Target 1' });
  await first.fill('09999');
  await expect(page.getByRole('option')).toHaveText(['big/model-09999']);
  await first.press('ArrowDown');
  await first.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Route route-0777 is saved.')).toBeVisible();
});
