import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APP_ERRORS } from '../app/process/errors.ts';
import { GatewayError } from '../core/errors.ts';
import { linkThreads, type ThreadLink } from './thread-link.ts';

interface Calls {
  add(a: number, b: number): number;
  listen(): void;
  break(): void;
  wait(): Promise<void>;
}

let channel: MessageChannel;
let link: ThreadLink<Calls, object>;

beforeEach(() => {
  channel = new MessageChannel();
  linkThreads<object, Calls>(channel.port1, {
    add: (a, b) => a + b,
    listen() {
      const cause = new Error('address in use');
      throw new GatewayError(APP_ERRORS.CLI_LISTEN_FAILED, { host: '127.0.0.1', port: 80 }, cause);
    },
    break() {
      throw new TypeError('undefined is not a function');
    },
    wait: () => new Promise(() => undefined),
  });
  link = linkThreads<Calls, object>(channel.port2, {});
});

afterEach(() => {
  channel.port1.close();
});

describe('linkThreads', () => {
  it('answers', async () => {
    expect(await link.add(2, 3)).toBe(5);
  });

  it('fails with the thrown error and its cause', async () => {
    const error = await link.listen().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      ...APP_ERRORS.CLI_LISTEN_FAILED,
      context: { host: '127.0.0.1', port: 80 },
      cause: { message: 'address in use' },
    });
  });

  it('reports where a defect is', async () => {
    const error = await link.break().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'INTERNAL' });
    expect(error.cause.message).toContain('thread-link.test.ts');
  });

  it('fails unanswered calls when it is closed', async () => {
    const waiting = link.wait().catch((thrown) => thrown);
    link.$close(new GatewayError(APP_ERRORS.API_THREAD_FAILED));
    expect(await waiting).toMatchObject({ code: 'API_THREAD_FAILED' });
    await expect(link.add(1, 1)).rejects.toThrow('closed');
  });
});
