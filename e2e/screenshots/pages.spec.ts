import path from 'node:path';
import type { Page } from '@playwright/test';
import { Decider } from '../support/decider.ts';
import { addPolicyRoute, ask, registerProviders, targets } from '../support/seed.ts';
import { expect, live, open, signIn, test } from '../support/test.ts';

const FOLDER = path.join(import.meta.dirname, '../../docs/screenshots');
const WIDTHS = [1440, 380];
const SCHEMES = ['light', 'dark'] as const;

/** The page as it is, in each width and scheme. */
async function shoot(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize({ width, height: width > 1000 ? 900 : 780 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(() => {
        (document.activeElement as HTMLElement | null)?.blur();
        window.scrollTo(0, 0);
        return document.fonts.ready;
      });
      await page.screenshot({
        path: path.join(FOLDER, `${name}-${width}-${colorScheme}.png`),
        fullPage: (await page.getByRole('dialog').count()) === 0,
      });
    }
  }
}

test('every page, wide and narrow, light and dark', async ({ page, signalbox, upstream }) => {
  await open(page, '/');
  await shoot(page, 'sign-in');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'First, register a provider' })).toBeVisible();
  await shoot(page, 'routes-empty');
  await open(page, '/providers/new');
  await shoot(page, 'provider-presets');

  await registerProviders(signalbox, upstream);
  await signalbox.api('POST', '/providers', {
    name: 'lab',
    kind: 'openai',
    instances: [{ url: 'http://10.0.0.11:8000/v1' }, { url: 'http://10.0.0.12:8000/v1' }],
    credentials: [{ secret: 'sk-lab-0000-4242' }],
    models: ['Qwen/Qwen3-32B', 'bge-m3', 'bge-reranker-v2'].map((name) => ({
      name,
      category: name.includes('rerank') ? 'reranker' : name.startsWith('bge') ? 'embedding' : 'llm',
    })),
  });
  const lab = { provider: 'lab', model: 'Qwen/Qwen3-32B' };
  await signalbox.api('POST', '/routes', {
    name: 'qwen3',
    description: 'Small and large, in turn.',
    targets: targets(),
  });
  await signalbox.api('POST', '/routes', {
    name: 'team:chat-v2',
    description: 'A quarter small, the rest on the lab’s two machines.',
    targets: [targets(100)[0], { ...lab, weight: 300 }],
  });
  await signalbox.api('POST', '/routes', {
    name: 'Qwen/Qwen3-32B',
    enabled: false,
    targets: [lab, targets()[1]],
  });
  await signalbox.api('POST', '/providers', {
    name: 'jev',
    kind: 'decision',
    instances: [{ url: 'http://10.0.0.20:8080' }],
    models: [{ name: 'jev-latest', category: 'decision' }],
  });
  const byPolicy = await signalbox.api<{ id: string }>('POST', '/routes', {
    name: 'assistant',
    description: 'Small models where they do, large ones where it counts.',
    targets: targets(),
    policy: {
      session_affinity: {},
      least_inflight: {},
      decision_service: {
        provider: 'jev',
        model: 'jev-latest',
        instructions: 'Which is the smallest model that answers this well?',
        criteria: {
          'qwen3-0.6b': 'Greetings, simple facts, formatting and small talk; fast and cheap.',
          'qwen3-32b': 'Reasoning, mathematics, code and long context; slower and dearer.',
        },
      },
    },
  });
  await signalbox.api('POST', '/keys', { name: 'laptop', routes: ['qwen3'] });
  await signalbox.api('POST', '/keys', {
    name: 'terraform',
    scopes: ['management'],
    expires_in_s: 30 * 86400,
  });

  await open(page, '/routes');
  await page.getByRole('button', { name: 'Targets and instances of team:chat-v2' }).click();
  await shoot(page, 'routes');
  await page.getByRole('button', { name: 'Delete qwen3' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot(page, 'routes-delete');
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'team:chat-v2', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Edit route' })).toBeVisible();
  await shoot(page, 'route-editor');
  await page.getByLabel('Weight of target 2').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Other targets have a weight')).toBeVisible();
  await shoot(page, 'route-editor-refused');

  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await open(page, `/routes/${byPolicy.id}`);
  await page.locator('.simulator').getByLabel('Session key').fill('demo-session');
  await page.locator('.contender.best').getByRole('spinbutton').fill('1');
  await page.getByLabel('Probability of qwen3-32b').fill('90');
  await expect(page.locator('.contender.best')).toContainText('goes here');
  await shoot(page, 'policy-editor');
  await page.getByRole('link', { name: 'Model Providers' }).click();
  await expect(page.getByRole('row', { name: /^lab/ })).toBeVisible();
  await shoot(page, 'providers');
  await page.getByRole('link', { name: 'Edit lab' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Edit provider' })).toBeVisible();
  await shoot(page, 'provider-editor');

  await open(page, '/keys');
  await shoot(page, 'keys');
  await page.getByRole('link', { name: 'Add API Key' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Add API Key' })).toBeVisible();
  await shoot(page, 'key-new');
  await page.getByLabel('Name', { exact: true }).fill('docs');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByRole('tab', { name: 'Codex' })).toBeVisible();
  await shoot(page, 'key-made');

  await page.goto('/settings');
  await live(page);
  await shoot(page, 'settings');
});

test('requests, wide and narrow, light and dark', async ({ page, signalbox, upstream }) => {
  const decider = await Decider.start();
  const route = await addPolicyRoute(signalbox, upstream, decider);
  const key = await signalbox.createKey();
  await open(page, '/requests');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible();
  await shoot(page, 'requests-empty');

  const contents = ['Write a greeting card.', 'Prove it.', 'Say hello.', 'Prove the converse.'];
  for (const [session, content] of contents.entries()) {
    const headers = { 'session-id': `session ${session % 2}` };
    expect((await ask(signalbox, key, 'qwen3', { content, headers })).status).toBe(200);
  }
  await ask(signalbox, key, 'no-such-route');
  const rows = page.locator('.request-table tbody tr');
  await expect(rows).toHaveCount(contents.length + 1);
  await open(page, '/requests');
  await shoot(page, 'requests');
  await rows.nth(1).getByRole('link').click();
  await expect(page.locator('.story-sentence')).toBeVisible();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(page.locator('.compared .ranking')).toHaveCount(2);
  await shoot(page, 'request');

  await open(page, `/requests/what-if?route=${route}`);
  await page.getByRole('switch', { name: 'Decision Service Routing' }).uncheck();
  await page.getByRole('button', { name: 'Replay' }).click();
  await expect(page.getByRole('region', { name: 'What would have been' })).toBeVisible();
  await shoot(page, 'what-if');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot(page, 'shortcuts');

  await open(page, '/usage');
  await expect(page.getByRole('img', { name: /^Requests per hour/ })).toBeVisible();
  await shoot(page, 'usage');

  await open(page, '/playground?route=qwen3');
  await page.getByRole('textbox', { name: 'Message' }).fill('Write a greeting card.');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('group', { name: 'Why it went there' })).toContainText('Went to');
  await shoot(page, 'playground');

  await open(page, '/routes');
  await page.getByRole('button', { name: 'Targets and instances of qwen3' }).click();
  await expect(page.getByRole('list', { name: 'Traffic of each target' })).toBeVisible();
  await shoot(page, 'routes-traffic');
  decider.stop();
});
