import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** A decision service of one thought: whoever asks for a proof needs the large model. */
export class Decider {
  /** What it was asked, in the order of arrival. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        response.end(JSON.stringify({ models: [{ name: 'jev-latest' }] }));
        return;
      }
      const { state, questions } = JSON.parse(await text(request));
      this.asked.push(state);
      const models: string[] = Object.keys(questions.model_selection.criteria);
      const wanted = /prove/i.test(state) ? '32b' : '0.6b';
      const choice = models.find((model) => model.includes(wanted));
      const probabilities = Object.fromEntries(
        models.map((model) => [model, model === choice ? 0.9 : 0.1 / (models.length - 1)]),
      );
      const answer = { type: 'choice', choice, probabilities, confidence: 0.8 };
      response.end(
        JSON.stringify({
          model: 'jev-1.13.0',
          usage: {},
          answers: { model_selection: answer },
        }),
      );
    });
  }

  static async start(): Promise<Decider> {
    const decider = new Decider();
    decider.#server.listen(0, '127.0.0.1');
    await once(decider.#server, 'listening');
    return decider;
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
