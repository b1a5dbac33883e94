import { defineConfig } from '@playwright/test';

const chromium = process.env.SIGNALBOX_CHROMIUM;
if (!chromium) throw new Error('SIGNALBOX_CHROMIUM is not set: run `npm test`, which finds it');

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  forbidOnly: Boolean(process.env.CI),
  // Whatever passes only at the second try has a fault.
  retries: 0,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium,
      args: [
        '--no-sandbox', // CI is root
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
