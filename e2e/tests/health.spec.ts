import { addRoute, ask, registerProviders } from '../support/seed.ts';
import { expect, expectAccessible, open, signIn, test } from '../support/test.ts';

test('an instance that cannot be reached shows on Routes and Model Providers', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  await signalbox.api('POST', '/providers', {
    name: 'gone',
    kind: 'openai',
    // Nobody listens on the port for discarding.
    instances: [{ url: 'http://127.0.0.1:9' }, { url: upstream.url }],
    models: [{ name: 'm' }],
  });
  await addRoute(signalbox, 'qwen3', { targets: [{ provider: 'gone', model: 'm' }] });
  const key = await signalbox.createKey();
  await open(page, '/');
  await signIn(page);
  await expect(page.getByRole('row', { name: /qwen3/ })).not.toContainText('not well');

  const eject = async () => {
    for (let request = 0; request < 6; request++) {
      expect((await ask(signalbox, key, 'qwen3')).status).toBe(200);
    }
  };
  await eject();
  await expect(page.getByRole('row', { name: /qwen3/ })).toContainText('1 not well');
  await page.getByRole('button', { name: 'Targets and instances of qwen3' }).click();
  const onRoutes = page.getByRole('list', { name: 'Health' });
  await expect(onRoutes).toContainText('http://127.0.0.1:9/v1');
  await expect(onRoutes).toContainText(/(ejected until|recovering).*could not be reached/);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Model Providers' }).click();
  const row = page.getByRole('row', { name: /gone/ });
  await expect(row.getByRole('list', { name: 'Health' })).toContainText('could not be reached');
  await expect(page.getByRole('row', { name: /local-a/ }).getByRole('list')).toHaveCount(0);
  await expectAccessible(page);
  // It comes back by itself, and what was is still told.
  await expect(row).toContainText('ok now; last error: could not be reached', { timeout: 40_000 });
});
