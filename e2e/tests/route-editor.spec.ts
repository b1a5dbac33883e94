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

type Failures = {
  fallbacks: { provider: string; model: string }[];
  retry: { attempts: number; statuses: number[] };
  keep_alive: boolean;
  revision: number;
};

test('fallbacks are added, moved and removed', async ({ page, signalbox, upstream }) => {
  await registerProviders(signalbox, upstream);
  const { id } = await addRoute(signalbox, 'qwen3');
  const stored = async () => (await signalbox.api<Failures>('GET', `/routes/${id}`)).fallbacks;
  await open(page, `/routes/${id}`);
  await signIn(page);
  const group = page.getByRole('group', { name: 'Fallbacks' });
  const add = group.getByRole('button', { name: 'Add fallback' });
  const fallback = (number: number) => group.getByRole('combobox', { name: `Fallback ${number}` });
  const save = page.getByRole('button', { name: 'Save' });
  await expect(group.getByText('There are none')).toBeVisible();

  await test.step('a row that is left empty is refused at its field', async () => {
    await add.click();
    await expect(fallback(1)).toBeFocused();
    await save.click();
    await expect(fallback(1)).toHaveAttribute('aria-invalid', 'true');
    await expect(group.getByText('Choose a model of a provider')).toBeVisible();
    await expectAccessible(page);
  });
  await test.step('they are chosen and moved by the keyboard', async () => {
    await fallback(1).focus();
    await page.keyboard.type('32b');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(fallback(1)).toHaveValue(TARGETS[1]);
    await add.focus();
    await page.keyboard.press('Enter');
    await expect(fallback(2)).toBeFocused();
    await page.keyboard.type('qwen3');
    // What is chosen already is not offered again.
    await expect(group.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await group.getByRole('button', { name: 'Move fallback 2 up' }).focus();
    await page.keyboard.press('Enter');
    await expect(fallback(1)).toHaveValue(TARGETS[0]);
    await expect(group.getByRole('button', { name: 'Move fallback 1 down' })).toBeFocused();
    await save.click();
    await expect(page.getByText('Route qwen3 is saved.')).toBeVisible();
    expect(await stored()).toEqual(targets());
  });
  await test.step('and removed', async () => {
    await page.getByRole('link', { name: 'qwen3', exact: true }).click();
    await expect(fallback(2)).toHaveValue(TARGETS[1]);
    await group.getByRole('button', { name: 'Remove fallback 1' }).click();
    await expect(add).toBeFocused();
    await expect(fallback(1)).toHaveValue(TARGETS[1]);
    await save.click();
    await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
    expect(await stored()).toEqual([targets()[1]]);
  });
});

test.describe('retries', () => {
  test.use({ tolerated: /status of 412/ });

  test('are saved with what keeps a stream alive', async ({ page, signalbox, upstream }) => {
    await registerProviders(signalbox, upstream);
    const { id } = await addRoute(signalbox, 'qwen3');
    const stored = () => signalbox.api<Failures>('GET', `/routes/${id}`);
    await open(page, `/routes/${id}`);
    await signIn(page);
    const group = page.getByRole('group', { name: 'Retries' });
    const attempts = group.getByLabel('Attempts');
    const statuses = group.getByLabel('Retried statuses');
    const keepAlive = group.getByRole('switch', { name: 'Keep alive' });
    const save = page.getByRole('button', { name: 'Save' });
    await expect(attempts).toHaveValue('2');
    await expect(statuses).toHaveValue('429, 502, 503, 504');
    await expect(keepAlive).toBeChecked();

    await test.step('what is wrong is said at its field', async () => {
      for (const [field, typed, problem] of [
        [attempts, '11', 'A request may have from 1 to 10 attempts'],
        [attempts, 'many', 'in whole numbers'],
        [statuses, '503, 400', 'An answer of 400 says that the request itself is wrong'],
        [statuses, '503, 5xx', 'Name statuses of failures'],
        [statuses, '503, 503', 'This repeats entry 1'],
      ] as const) {
        await field.fill(typed);
        await save.click();
        await expect(field).toHaveAttribute('aria-invalid', 'true');
        await expect(group.getByText(problem)).toBeVisible();
        await attempts.fill('4');
      }
      await expectAccessible(page);
      await statuses.fill('404,500');
    });
    await test.step('and the rest is saved', async () => {
      await keepAlive.uncheck();
      await save.click();
      await expect(page.getByText('Route qwen3 is saved.')).toBeVisible();
      expect(await stored()).toMatchObject({
        retry: { attempts: 4, statuses: [404, 500] },
        keep_alive: false,
      });
    });
    await test.step('an edit from two browsers shows them', async () => {
      await page.getByRole('link', { name: 'qwen3', exact: true }).click();
      await expect(statuses).toHaveValue('404, 500');
      await expect(keepAlive).not.toBeChecked();
      const elsewhere = { ...(await stored()), fallbacks: [targets()[0]] };
      await signalbox.api('PUT', `/routes/${id}`, elsewhere);
      await attempts.fill('');
      await statuses.fill('');
      await save.click();
      const dialog = page.getByRole('dialog', { name: 'Edited meanwhile' });
      for (const [field, theirs, mine] of [
        ['Fallbacks', TARGETS[0], 'nothing'],
        ['Attempts', '4', '2'],
        ['Retried statuses', '404, 500', 'nothing'],
      ] as const) {
        const row = dialog.getByRole('row', { name: new RegExp(`^${field}`) });
        await expect(row.getByRole('cell')).toHaveText([theirs, mine]);
      }
      await dialog.getByRole('button', { name: 'Save mine' }).click();
      // The toast may still tell of the save before.
      await expect(page.getByRole('heading', { level: 1, name: 'Routes' })).toBeVisible();
      expect(await stored()).toMatchObject({
        fallbacks: [],
        retry: { attempts: 2, statuses: [] },
      });
    });
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
    for (let step = 0; step < 24; step++) {
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
