import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';

/** Makes docs/screenshots anew: `make screenshots`. */
export default defineConfig(tests, { testDir: 'screenshots', timeout: 180_000 });
