import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const PASSWORD = 'correct horse battery staple';

const binary =
  process.env.SIGNALBOX_BIN ?? path.join(import.meta.dirname, '../../target/release/signalbox');

/**
 * The release binary, copied alone into an empty folder and run there: what it shows, it carries.
 */
export class Signalbox {
  readonly url: string;
  readonly #folder: string;
  readonly #process: ChildProcess;
  #cookie = '';

  private constructor(url: string, folder: string, process: ChildProcess) {
    this.url = url;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(): Promise<Signalbox> {
    const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-e2e-'));
    await copyFile(binary, path.join(folder, 'signalbox'));
    const listen = `127.0.0.1:${await freePort()}`;
    const log = openSync(path.join(folder, 'log'), 'w');
    const child = spawn('./signalbox', ['serve', '--listen', listen], {
      cwd: folder,
      env: { SIGNALBOX_ADMIN_PASSWORD: PASSWORD },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const signalbox = new Signalbox(`http://${listen}`, folder, child);
    try {
      await signalbox.#ready();
      await signalbox.#signIn();
    } catch (error) {
      await signalbox.stop();
      throw error;
    }
    return signalbox;
  }

  /** Calls the management API; anything but success throws. */
  async api<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.#call(method, path, body);
    const text = await answer.text();
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async createKey(): Promise<string> {
    const body = { name: 'e2e', scopes: ['inference'] };
    return (await this.api<{ key: string }>('POST', '/keys', body)).key;
  }

  /** What it wrote so far. */
  log(): Promise<string> {
    return readFile(path.join(this.#folder, 'log'), 'utf8');
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #call(method: string, path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie: this.#cookie },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    }
    return answer;
  }

  async #signIn(): Promise<void> {
    const answer = await this.#call('POST', '/login', { username: 'admin', password: PASSWORD });
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  }

  async #ready(): Promise<void> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
      if (this.#process.exitCode !== null) break;
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error(`signalbox did not become ready; it said:\n${await this.log()}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
