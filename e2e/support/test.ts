import { AxeBuilder } from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { PASSWORD, Signalbox } from './signalbox.ts';
import { Upstream } from './upstream.ts';

export { expect };

type Fixtures = {
  /** A Signalbox of the test's own, started on empty data. */
  signalbox: Signalbox;
  upstream: Upstream;
  /** What the browser may complain of in this test. */
  tolerated: RegExp | undefined;
  /** Everything the browser complained of so far: the test fails if it is not empty at the end. */
  complaints: string[];
};

export const test = base.extend<Fixtures>({
  signalbox: async ({}, use, test) => {
    const signalbox = await Signalbox.start();
    await use(signalbox);
    if (test.status !== test.expectedStatus) {
      await test.attach('what signalbox said', { body: await signalbox.log() });
    }
    await signalbox.stop();
  },

  upstream: async ({}, use) => {
    const upstream = await Upstream.start();
    await use(upstream);
    upstream.stop();
  },

  baseURL: async ({ signalbox }, use) => use(signalbox.url),

  tolerated: [undefined, { option: true }],

  complaints: [
    async ({ page, signalbox, tolerated }, use) => {
      const complaints: string[] = [];
      const complain = (complaint: string) => {
        if (!tolerated?.test(complaint)) complaints.push(complaint);
      };
      // The console also hears of every violation of the Content-Security-Policy.
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) {
          complain(`console ${message.type()}: ${message.text()} (${message.location().url})`);
        }
      });
      page.on('pageerror', (error) => complain(`uncaught: ${error.stack ?? error.message}`));
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (protocol !== 'data:' && origin !== signalbox.url) {
          complain(`it asked a foreign host: ${request.url()}`);
        }
      });
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** Goes to a page and waits until it is alive: a click before that is lost. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await live(page);
}

export async function live(page: Page): Promise<void> {
  await expect(page.locator('html[data-live]')).toBeAttached();
}

export async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Nothing that axe knows to be in somebody's way, in either colour scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, help, nodes }) => ({
      id: `${id} (${colorScheme}): ${help}`,
      where: nodes.map((node) => node.html),
    }));
    expect(found).toEqual([]);
  }
}
