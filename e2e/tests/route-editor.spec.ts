import {
  addRoute,
  ask,
  registerProviders,
  type Route,
  routes,
  TARGETS,
  targets,
} from '../support/seed.ts';
import { expect, expectAccessible, live, open, signIn, test } from '../support/test.ts';
import { PASSWORD } from '../support/signalbox.ts';
import { Upstream } from '../support/upstream.ts';

test("a target's weight is its whole share, whatever its instances", async ({
  page,
  signalbox,
  upstream,
}) => {
  const others = [await Upstream.start(), await Upstream.start()];
  const instances = [upstream, ...others];
  const [one, ...two] = instances.map(({ url }) => ({ url }));
  for (const [name, model, urls] of [
    ['local-a', 'qwen3-0.6b', [one]],
    ['local-b', 'qwen3-32b', two],
  ] as const) {
    const models = [{ name: model, category: 'llm' }];
    await signalbox.api('POST', '/providers', { name, kind: 'openai', instances: urls, models });
  }
  await addRoute(signalbox, 'qwen3');
  const key = await signalbox.createKey();
  const asked = async (requests: number) => {
    const before = instances.map(({ asked }) => asked.length);
    for (let request = 0; request < requests; request++) {
      expect((await ask(signalbox, key, 'qwen3')).status).toBe(200);
    }
    return instances.map(({ asked }, index) => asked.length - (before[index] ?? 0));
  };
  await open(page, '/');
  await signIn(page);
  const decides = page.getByRole('complementary', { name: 'How this route decides' });
  const save = async (weights: [string, string]) => {
    await page.getByLabel('Weight of target 1').fill(weights[0]);
    await page.getByLabel('Weight of target 2').fill(weights[1]);
  };

  await test.step('100 and 300 are 25 % and 75 %', async () => {
    await page.getByRole('link', { name: 'qwen3', exact: true }).click();
    await save(['100', '300']);
    await expect(decides).toContainText('Target Weight');
    await expect(decides.locator('.track-target .track-share')).toHaveText(['25 %', '75 %']);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('row', { name: /qwen3/ })).toContainText('Target Weight');
    expect(await asked(8)).toEqual([2, 3, 3]);
  });

  await test.step('100 and 100 are halves, also of one and two instances', async () => {
    await page.getByRole('link', { name: 'qwen3', exact: true }).click();
    await save(['100', '100']);
    await expect(decides.locator('.track-target .track-share')).toHaveText(['50 %', '50 %']);
    await expect(decides.locator('li li .track-share')).toHaveText(['50 %', '25 %', '25 %']);
    await expect(decides).toContainText(
      'qwen3-0.6b 50 %; qwen3-32b 50 %, each of its 2 instances 25 %.',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
    expect(await asked(8)).toEqual([4, 2, 2]);
  });

  await test.step('weights emptied are round-robin again', async () => {
    await page.getByRole('link', { name: 'qwen3', exact: true }).click();
    await save(['', '']);
    await expect(decides).toContainText('round-robin');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('row', { name: /qwen3/ })).toContainText('round-robin');
  });
  for (const other of others) other.stop();
});

test.describe('what is refused', () => {
  // The browser itself reports every answer that is no success.
  test.use({ tolerated: /status of (401|409|412|422)/ });

  test('is said at its field, and nothing typed is lost', async ({ page, signalbox, upstream }) => {
    await registerProviders(signalbox, upstream);
    await addRoute(signalbox, 'taken');
    await open(page, '/routes/new');
    await signIn(page);
    const name = page.getByLabel('Name', { exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    await name.fill('taken');
    for (const [number, target] of TARGETS.entries()) {
      if (number > 0) await page.getByRole('button', { name: 'Add target' }).click();
      await page.getByRole('combobox', { name: `Target ${number + 1}` }).fill(target);
    }

    await test.step('a weight on one target only', async () => {
      await page.getByLabel('Weight of target 1').fill('100');
      await save.click();
      await expect(page.getByLabel('Weight of target 2')).toHaveAttribute('aria-invalid', 'true');
      await expect(page.getByText('Other targets have a weight')).toBeVisible();
    });

    for (const weight of ['0', '-1', '1.5', '1000001', 'much']) {
      await test.step(`a weight of ${weight}`, async () => {
        await page.getByLabel('Weight of target 2').fill(weight);
        await save.click();
        const field = page.getByLabel('Weight of target 2');
        await expect(field).toHaveAttribute('aria-invalid', 'true');
        await expect(field).toHaveValue(weight);
        await expect(page.getByText('A target weight is a whole number')).toBeVisible();
      });
    }
    await expectAccessible(page);

    await test.step('the same target twice', async () => {
      await page.getByLabel('Weight of target 2').fill('300');
      await page.getByRole('combobox', { name: 'Target 2' }).fill(TARGETS[0]);
      await save.click();
      await expect(page.getByRole('combobox', { name: 'Target 2' })).toHaveAttribute(
        'aria-invalid',
        'true',
      );
      await page.getByRole('combobox', { name: 'Target 2' }).fill(TARGETS[1]);
    });

    await test.step('a model that the provider does not list', async () => {
      await page.getByRole('combobox', { name: 'Target 2' }).fill('local-b/no-such');
      await save.click();
      await expect(page.getByRole('combobox', { name: 'Target 2' })).toHaveAttribute(
        'aria-invalid',
        'true',
      );
      await page.getByRole('combobox', { name: 'Target 2' }).fill(TARGETS[1]);
    });

    await test.step('a name that is taken', async () => {
      await save.click();
      await expect(page.getByRole('alert')).toContainText('taken');
      await expect(name).toHaveValue('taken');
      await expect(page.getByLabel('Weight of target 2')).toHaveValue('300');
      await name.fill('free');
      await save.click();
      await expect(page.getByText('Route free is saved.')).toBeVisible();
    });
  });

  test('an edit from two browsers: it shows what changed and lets one choose', async ({
    page,
    signalbox,
    upstream,
  }) => {
    await registerProviders(signalbox, upstream);
    const { id } = await addRoute(signalbox, 'qwen3', { description: 'First' });
    const elsewhere = async (description: string) => {
      const route = await signalbox.api<Route>('GET', `/routes/${id}`);
      await signalbox.api('PUT', `/routes/${id}`, { ...route, description });
    };
    await open(page, `/routes/${id}`);
    await signIn(page);
    const description = page.getByLabel('Description');
    await expect(description).toHaveValue('First');

    await elsewhere('Theirs');
    await description.fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edited meanwhile' });
    const row = dialog.getByRole('row', { name: /Description/ });
    await expect(row.getByRole('cell')).toHaveText(['Theirs', 'Mine']);
    await expect(dialog.getByRole('row')).toHaveCount(2);
    await expectAccessible(page);

    await test.step('keep editing', async () => {
      await dialog.getByRole('button', { name: 'Keep editing' }).click();
      await expect(dialog).toBeHidden();
      await expect(description).toHaveValue('Mine');
    });
    await test.step('take theirs', async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Discard mine' }).click();
      await expect(description).toHaveValue('Theirs');
    });
    await test.step('save mine', async () => {
      await elsewhere('Theirs again');
      await page.getByLabel('Description').fill('Mine at last');
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Save mine' }).click();
      await expect(page.getByText('Route qwen3 is saved.')).toBeVisible();
      const stored = await signalbox.api<{ description: string }>('GET', `/routes/${id}`);
      expect(stored.description).toBe('Mine at last');
    });
  });

  test('a session that ends while one edits loses nothing', async ({
    page,
    signalbox,
    upstream,
    context,
  }) => {
    await registerProviders(signalbox, upstream);
    const { id } = await addRoute(signalbox, 'qwen3');
    await open(page, `/routes/${id}`);
    await signIn(page);
    await page.getByLabel('Description').fill('Typed for an hour');
    const cookies = await context.cookies();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Your session has ended.')).toBeVisible();
    await expect(page.getByLabel('Description')).toHaveValue('Typed for an hour');
    expect(cookies).toHaveLength(1);

    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in in a new tab' }).click();
    const tab = await opened;
    await live(tab);
    await signIn(tab, PASSWORD);
    await expect(tab.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
    await tab.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Route qwen3 is saved.')).toBeVisible();
  });
});

test('leaving with unsaved changes is asked about', async ({ page, signalbox, upstream }) => {
  await registerProviders(signalbox, upstream);
  const { id } = await addRoute(signalbox, 'qwen3');
  await open(page, '/');
  await signIn(page);
  await page.getByRole('link', { name: 'qwen3', exact: true }).click();
  const description = page.getByLabel('Description');
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });

  await test.step('not while nothing is changed', async () => {
    await page.getByRole('link', { name: 'Model Providers' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Model Providers' })).toBeVisible();
    await page.goBack();
    await description.fill('Changed');
  });
  for (const [way, leave] of [
    ['a link', () => page.getByRole('link', { name: 'API Keys' }).click()],
    ['Cancel', () => page.getByRole('link', { name: 'Cancel' }).click()],
    ['signing out', () => page.getByRole('button', { name: 'Sign out' }).click()],
    ['the Back button', () => page.evaluate(() => history.back())],
  ] as const) {
    await test.step(`by ${way}`, async () => {
      await leave();
      await expect(dialog).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
      await expect(page).toHaveURL(new RegExp(`/routes/${id}$`));
      await expect(description).toHaveValue('Changed');
    });
  }
  await test.step('by reloading, the browser asks', async () => {
    const asked = page.waitForEvent('dialog');
    const reload = page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await reload;
    await expect(description).toHaveValue('Changed');
  });
  await test.step('a yes leaves', async () => {
    await page.getByRole('link', { name: 'API Keys' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'API Keys' })).toBeVisible();
    const [stored] = await routes(signalbox);
    expect(stored).toMatchObject({ name: 'qwen3', description: '' });
  });
});

test('a route is made and reordered by the keyboard alone', async ({
  page,
  signalbox,
  upstream,
}) => {
  await registerProviders(signalbox, upstream);
  await open(page, '/routes/new');
  await page.keyboard.type('admin');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('by-keyboard');
  const focused = page.locator(':focus');
  const tabTo = async (name: RegExp) => {
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab');
      const label = await focused.evaluate(
        (element) =>
          element.getAttribute('aria-label') ??
          (element as HTMLInputElement).labels?.[0]?.textContent ??
          element.textContent ??
          '',
      );
      if (name.test(label)) return;
    }
    throw new Error(`Tab never came to ${name}`);
  };
  await tabTo(/^Target 1$/);
  await page.keyboard.type('0.6b');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo(/Add target/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Target 2' })).toBeFocused();
  await page.keyboard.type('32b');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo(/Move target 2 up/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Target 1' })).toHaveValue(TARGETS[1]);
  await expect(page.getByRole('button', { name: 'Move target 1 down' })).toBeFocused();
  await tabTo(/^Save$/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Route by-keyboard is saved.')).toBeVisible();
  const stored = await signalbox.api<{ items: { targets: object[] }[] }>('GET', '/routes');
  expect(stored.items[0]?.targets).toMatchObject(targets().reverse());
});
