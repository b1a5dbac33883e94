import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';
import type { Signalbox } from '../support/signalbox.ts';

type Provider = {
  id: string;
  name: string;
  revision: number;
  models: { name: string; category: string }[];
  credentials: { id: string; hint: string }[];
  headers: Record<string, null>;
  speaks: string[] | null;
  health_check: { path: string; interval_s: number } | null;
};

async function stored(signalbox: Signalbox): Promise<Provider[]> {
  return (await signalbox.api<{ items: Provider[] }>('GET', '/providers')).items;
}

test.describe('a provider, from nothing', () => {
  // The browser itself reports every answer that is no success.
  test.use({ tolerated: /status of (422|409)/ });

  test('is registered, tried out, edited, and held by the route that uses it', async ({
    page,
    signalbox,
    upstream,
  }) => {
    await open(page, '/');
    await signIn(page);

    await test.step('the empty list of routes leads to it', async () => {
      await page.getByRole('main').getByRole('link', { name: 'Add Provider' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Add Provider' })).toBeVisible();
      await page.getByRole('link', { name: /^OpenAI-compatible/ }).click();
    });

    const url = page.getByLabel('Base URL of instance 1');
    await test.step('a wrong URL is said at its field, and stays typed', async () => {
      await page.getByLabel('Name', { exact: true }).fill('local');
      await url.fill('127.0.0.1');
      await page.getByRole('textbox', { name: 'New credential 1' }).fill('sk-secret-4242');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(url).toHaveAttribute('aria-invalid', 'true');
      await expect(url).toBeFocused();
      await expect(url).toHaveValue('127.0.0.1');
      await expect(page.getByText('Write a base URL such as')).toBeVisible();
      await expectAccessible(page);
      await url.fill(upstream.url);
      await expect(url).not.toHaveAttribute('aria-invalid');
    });

    await test.step('its models are fetched and picked', async () => {
      await page.getByRole('button', { name: 'Fetch models' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pick models' });
      await expect(dialog.getByRole('checkbox')).toHaveCount(3);
      await expectAccessible(page);
      await dialog.getByRole('checkbox', { name: 'qwen3-32b' }).uncheck();
      await dialog.getByRole('button', { name: 'Add selected (2)' }).click();
      await expect(dialog).toBeHidden();
      await expect(page.getByLabel('Category of bge-reranker')).toHaveValue('2');
      await page.getByLabel('Model name').fill('by-hand');
      await page.getByLabel('Model name').press('Enter');
      await expect(page.getByLabel('Category of by-hand')).toBeVisible();
      expect(upstream.listedTo).toEqual(['Bearer sk-secret-4242']);
    });

    await test.step('each instance is tested', async () => {
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await expect(page.getByText('It answers.')).toBeVisible();
      await expect(page.getByText(/^\d+ ms$/)).toBeVisible();
      await expectAccessible(page);
    });

    await test.step('it is saved', async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Model Providers' })).toBeVisible();
      await expect(page.getByRole('row', { name: /local/ })).toContainText('no route');
      const [local] = await stored(signalbox);
      expect(local?.models).toEqual([
        { name: 'bge-reranker', category: 'reranker' },
        { name: 'qwen3-0.6b', category: 'llm' },
        { name: 'by-hand', category: 'llm' },
      ]);
      await expectAccessible(page);
    });

    await test.step('an edit keeps the credential', async () => {
      await page.getByRole('link', { name: 'local', exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Edit provider' })).toBeVisible();
      await expect(page.getByText('••••4242')).toBeVisible();
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByRole('textbox', { name: 'Name of header 1' }).fill('x-org');
      await page.getByLabel('Value of header 1').fill('hidden');
      await page.getByLabel('Name', { exact: true }).fill('local-a');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('row', { name: /local-a/ })).toBeVisible();
      const [local] = await stored(signalbox);
      expect(local?.credentials.map(({ hint }) => hint)).toEqual(['4242']);
      expect(local?.headers).toEqual({ 'x-org': null });
      expect(JSON.stringify(await page.content())).not.toContain('sk-secret');
    });

    await test.step('it is not deleted while a route uses it', async () => {
      // The list was loaded before, so only the server knows.
      const route = await signalbox.api<{ id: string }>('POST', '/routes', {
        name: 'qwen3',
        targets: [{ provider: 'local-a', model: 'qwen3-0.6b' }],
      });
      await page.getByRole('button', { name: 'Delete local-a' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete local-a?' });
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await expect(dialog.getByRole('alert')).toContainText('used by the route qwen3');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Keep it' }).click();
      await expect(dialog).toBeHidden();

      await open(page, '/providers');
      await expect(page.getByRole('row', { name: /local-a/ })).toContainText('qwen3');
      await page.getByRole('button', { name: 'Delete local-a' }).click();
      await expect(dialog).toContainText('would stop working: qwen3');
      await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();

      await signalbox.api('DELETE', `/routes/${route.id}`);
      await open(page, '/providers');
      await page.getByRole('button', { name: 'Delete local-a' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await expect(page.getByRole('heading', { name: 'No providers yet' })).toBeVisible();
      expect(await stored(signalbox)).toEqual([]);
    });
  });
});

test('a preset fills in what its upstream needs', async ({ page, signalbox }) => {
  await open(page, '/providers/new?preset=azure-openai');
  await signIn(page);
  await expect(page.getByLabel('Base URL of instance 1')).toHaveValue(
    /openai\.azure\.com\/openai\/v1$/,
  );
  await expect(page.getByLabel('Credential header')).toHaveValue('api-key');
  await expect(page.getByRole('checkbox', { name: 'responses' })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /azure-openai/ })).toBeVisible();
  expect((await stored(signalbox)).map(({ name }) => name)).toEqual(['azure-openai']);
});

test.describe('two people', () => {
  test.use({ tolerated: /status of 412/ });

  test('who edits last is told what differs, and chooses', async ({
    page,
    signalbox,
    upstream,
  }) => {
    const made = await signalbox.api<Provider>('POST', '/providers', {
      name: 'local',
      kind: 'openai',
      instances: [{ url: upstream.url }],
    });
    await open(page, `/providers/${made.id}`);
    await signIn(page);
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('local');
    await signalbox.api('PUT', `/providers/${made.id}`, { ...made, name: 'theirs' });
    await page.getByLabel('Name', { exact: true }).fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edited meanwhile' });
    await expect(dialog.getByRole('row', { name: /Name/ }).getByRole('cell')).toHaveText([
      'theirs',
      'mine',
    ]);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Discard mine' }).click();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('theirs');

    await signalbox.api('PUT', `/providers/${made.id}`, { ...made, revision: 2, name: 'again' });
    await page.getByLabel('Name', { exact: true }).fill('mine at last');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await expect(page.getByRole('row', { name: /mine at last/ })).toBeVisible();
  });
});

test('what a test finds it to serve is ticked by one click', async ({
  page,
  signalbox,
  upstream,
}) => {
  upstream.serves = ['/v1/chat/completions', '/v1/embeddings', '/v1/messages/count_tokens'];
  await open(page, '/providers/new?preset=openai-compatible');
  await signIn(page);
  await page.getByLabel('Name', { exact: true }).fill('local');
  await page.getByLabel('Base URL of instance 1').fill(upstream.url);
  const endpoint = (name: string) => page.getByRole('checkbox', { name, exact: true });
  await endpoint('rerank').check();
  const tick = page.getByRole('button', { name: 'Tick these under Endpoints' });

  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText('It serves: chat, count_tokens, embeddings.')).toBeVisible();
  await expect(page.getByText('They are ticked.')).toBeHidden();
  await expectAccessible(page);
  await tick.click();
  await expect(page.getByText('They are ticked.')).toBeVisible();
  await expect(endpoint('chat')).toBeChecked();
  await expect(endpoint('rerank')).not.toBeChecked();
  await endpoint('chat').uncheck();
  await expect(page.getByText('They are ticked.')).toBeHidden();
  await tick.click();
  await expect(endpoint('chat')).toBeChecked();

  await test.step('what was found counts for what was tested', async () => {
    const url = page.getByLabel('Base URL of instance 1');
    await url.fill('http://127.0.0.1:1/v1');
    await expect(tick).toBeHidden();
    await url.fill(upstream.url);
    await expect(tick).toBeVisible();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /local/ })).toBeVisible();
  const [local] = await stored(signalbox);
  expect(local?.speaks).toEqual(['chat', 'count_tokens', 'embeddings']);
});

test.describe('a health check', () => {
  test.use({ tolerated: /status of 422/ });

  test('is set, refused at its fields, and taken away', async ({ page, signalbox, upstream }) => {
    const { id } = await signalbox.api<Provider>('POST', '/providers', {
      name: 'local',
      kind: 'openai',
      instances: [{ url: upstream.url }],
    });
    await open(page, `/providers/${id}`);
    await signIn(page);
    const check = page.getByRole('group', { name: 'Health check' });
    const path = check.getByLabel('Path');
    const every = check.getByLabel('Every (s)');
    const save = page.getByRole('button', { name: 'Save' });
    await path.fill('health');
    await every.fill('often');
    await save.click();
    await expect(every).toHaveAttribute('aria-invalid', 'true');
    await expect(check.getByText('Write a whole number.')).toBeVisible();
    await every.fill('4000');
    await save.click();
    await expect(check.getByText('A path begins with a slash')).toBeVisible();
    await expect(check.getByText('Write 1 to 3,600 seconds')).toBeVisible();
    await expectAccessible(page);
    await path.fill('/health?deep=1');
    await every.fill('5');
    await save.click();
    await expect(page.getByText('Provider local is saved.')).toBeVisible();
    let [local] = await stored(signalbox);
    expect(local?.health_check).toEqual({ path: '/health?deep=1', interval_s: 5 });

    await page.getByRole('link', { name: 'local', exact: true }).click();
    await expect(path).toHaveValue('/health?deep=1');
    await expect(every).toHaveValue('5');
    await path.fill('');
    await save.click();
    await expect(page.getByRole('heading', { level: 1, name: 'Model Providers' })).toBeVisible();
    [local] = await stored(signalbox);
    expect(local?.health_check).toBeNull();
  });
});

test('a clone starts as its original is, without its secrets', async ({
  page,
  signalbox,
  upstream,
}) => {
  await signalbox.api('POST', '/providers', {
    name: 'local',
    kind: 'openai',
    instances: [{ url: upstream.url, max_inflight: 4 }],
    credentials: [{ secret: 'sk-secret-4242' }],
    models: [{ name: 'm', category: 'llm' }],
  });
  await open(page, '/providers');
  await signIn(page);
  await page.getByRole('link', { name: 'Clone local' }).click();
  await expect(page.getByText('so they are not copied')).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('local-copy');
  await expect(page.getByLabel('Max requests in flight of instance 1')).toHaveValue('4');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /local-copy/ })).toBeVisible();
  const copy = (await stored(signalbox)).find(({ name }) => name === 'local-copy');
  expect(copy?.credentials).toEqual([]);
  expect(copy?.models).toEqual([{ name: 'm', category: 'llm' }]);
});
