import type { Page } from '@playwright/test';
import { PASSWORD } from './signalbox.ts';
import { expect } from './test.ts';

/** As somebody whose browser prefers Japanese. */
export async function signInInJapanese(page: Page): Promise<void> {
  await page.getByLabel('ユーザー名').fill('admin');
  await page.getByLabel('パスワード').fill(PASSWORD);
  await page.getByRole('button', { name: 'サインイン' }).click();
  await expect(page.getByRole('button', { name: 'サインアウト', exact: true })).toBeVisible();
}
