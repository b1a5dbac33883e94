import type { Decider } from './decider.ts';
import type { Signalbox } from './signalbox.ts';
import type { Upstream } from './upstream.ts';

export const TARGETS = ['local-a/qwen3-0.6b', 'local-b/qwen3-32b'] as const;

export type Target = { provider: string; model: string; weight?: number };
export type Route = { id: string; name: string; revision: number; enabled: boolean };

/** One provider with one model for each target. */
export async function registerProviders(signalbox: Signalbox, upstream: Upstream): Promise<void> {
  for (const { provider, model } of targets()) {
    await signalbox.api('POST', '/providers', {
      name: provider,
      kind: 'openai',
      instances: [{ url: upstream.url }],
      models: [{ name: model, category: 'llm' }],
    });
  }
}

/** What a route says of TARGETS. */
export function targets(...weights: number[]): Target[] {
  return TARGETS.map((target, index) => {
    const [provider = '', model = ''] = target.split('/');
    const weight = weights[index];
    return weight === undefined ? { provider, model } : { provider, model, weight };
  });
}

export function addRoute(signalbox: Signalbox, name: string, more: object = {}): Promise<Route> {
  return signalbox.api<Route>('POST', '/routes', { name, targets: targets(), ...more });
}

/** A route that weighs the session against a decision service; answers with its id. */
export async function addPolicyRoute(
  signalbox: Signalbox,
  upstream: Upstream,
  decider: Decider,
): Promise<string> {
  await registerProviders(signalbox, upstream);
  await signalbox.api('POST', '/providers', {
    name: 'jev',
    kind: 'decision',
    instances: [{ url: decider.url }],
    models: [{ name: 'jev-latest', category: 'decision' }],
  });
  const route = await addRoute(signalbox, 'qwen3', {
    policy: {
      session_affinity: {},
      decision_service: {
        provider: 'jev',
        model: 'jev-latest',
        criteria: { 'qwen3-0.6b': 'Small talk.', 'qwen3-32b': 'Proofs.' },
      },
    },
  });
  return route.id;
}

export async function routes(signalbox: Signalbox): Promise<Route[]> {
  return (await signalbox.api<{ items: Route[] }>('GET', '/routes?limit=1000')).items;
}

/** One short chat request. */
export function ask(
  signalbox: Signalbox,
  key: string,
  model: string,
  { content = 'Hello', headers = {} }: { content?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${signalbox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  });
}
