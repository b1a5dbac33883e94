import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

type Asked = {
  path: string;
  headers: IncomingHttpHeaders;
  body: { model: string; stream?: boolean } & Record<string, unknown>;
};

/** What it counts for each request. */
export const TOKENS = { input: 10, cached: 4, output: 5, reasoning: 2 };

/** What it thinks before. */
export const THOUGHT = 'A greeting, then.';

/**
 * A model server that answers in streams, in three dialects, and does as it is told: it thinks first when
 * asked to, goes on for ever when asked to speak slowly, breaks off, or refuses.
 */
export class Talker {
  /** Each request, in the order of arrival. */
  readonly asked: Asked[] = [];
  /** How many left before their answer was whole. */
  left = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const asked: Asked = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(await text(request)),
      };
      this.asked.push(asked);
      response.on('close', () => {
        if (!response.writableFinished) this.left++;
      });
      const words = JSON.stringify(asked.body);
      if (words.includes('refuse')) {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: 'That is too long for me.' } }));
      } else if (asked.body.stream) {
        await stream(asked, words, response);
      } else {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(whole(asked.body.model)));
      }
    });
  }

  static async start(): Promise<Talker> {
    const talker = new Talker();
    talker.#server.listen(0, '127.0.0.1');
    await once(talker.#server, 'listening');
    return talker;
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

/** What it says, whatever it is asked. */
export function greeting(model: string): string {
  return `Grüße von ${model} 👋`;
}

function whole(model: string): object {
  const message = { role: 'assistant', content: greeting(model) };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
      prompt_tokens_details: { cached_tokens: TOKENS.cached },
      completion_tokens_details: { reasoning_tokens: TOKENS.reasoning },
    },
  };
}

async function stream(asked: Asked, words: string, response: ServerResponse): Promise<void> {
  const speak = DIALECTS[asked.path];
  if (!speak) {
    response.writeHead(404).end('{}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (events: object[]) => {
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  if (words.includes('think')) send(speak.thought(THOUGHT));
  for (const piece of greeting(asked.body.model).split(/(?<= )/)) {
    send(speak.said(piece));
    if (words.includes('slowly')) return;
    if (words.includes('break')) {
      await sleep(50);
      response.destroy();
      return;
    }
  }
  send(speak.end());
  response.end(asked.path.endsWith('/completions') ? 'data: [DONE]\n\n' : '');
}

type Dialect = {
  thought: (text: string) => object[];
  said: (text: string) => object[];
  end: () => object[];
};

const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});

const DIALECTS: Record<string, Dialect> = {
  '/v1/chat/completions': {
    thought: (text) => [chunk({ reasoning_content: text })],
    said: (text) => [chunk({ content: text })],
    end: () => [chunk({}, 'stop')],
  },
  '/v1/responses': {
    thought: (delta) => [{ type: 'response.reasoning_summary_text.delta', delta }],
    said: (delta) => [{ type: 'response.output_text.delta', delta }],
    end: () => [{ type: 'response.completed', response: { id: 'resp_1', status: 'completed' } }],
  },
  '/v1/messages': {
    thought: (thinking) => [
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking } },
    ],
    said: (text) => [
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } },
    ],
    end: () => [
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
  },
};
