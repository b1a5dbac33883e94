import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** A model server as small as can be: it answers, and remembers what it was asked. */
export class Upstream {
  /** What it lists as its models. */
  models: string[] = ['qwen3-0.6b', 'qwen3-32b', 'bge-reranker'];
  /** Where it answers requests; everywhere unless said. */
  serves: string[] | undefined;
  /** The credential of each request for that list, in the order of arrival. */
  readonly listedTo: (string | undefined)[] = [];
  /** The body of each request, in the order of arrival. */
  readonly asked: { model: string }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        this.listedTo.push(request.headers.authorization);
        response.end(JSON.stringify({ object: 'list', data: this.models.map((id) => ({ id })) }));
        return;
      }
      if (this.serves && !this.serves.includes(request.url ?? '')) {
        response.writeHead(404).end('{}');
        return;
      }
      const body = JSON.parse(await text(request));
      this.asked.push(body);
      const message = { role: 'assistant', content: `Here is ${body.model}.` };
      response.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 0,
          model: body.model,
          choices: [{ index: 0, message, finish_reason: 'stop' }],
        }),
      );
    });
  }

  static async start(): Promise<Upstream> {
    const upstream = new Upstream();
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number };
    return `http://127.0.0.1:${port}/v1`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
