import { describe, expect, it } from 'vitest';
import { RequestOrder } from './request-order.ts';

/** Requests by name; the test decides when they end. `log` has what started and who was notified of the end. */
class Requests {
  readonly log: string[] = [];
  readonly #order = new RequestOrder();
  readonly #ends = new Map<string, (error?: Error) => void>();

  ask(kind: 'read' | 'write', name: string): void {
    const execute = () => {
      this.log.push(`${name} runs`);
      return new Promise<void>((resolve, reject) => {
        this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    };
    this.#order[kind](execute).then(
      () => this.log.push(`${name} done`),
      () => this.log.push(`${name} failed`),
    );
  }

  async end(name: string, error?: Error): Promise<void> {
    await settled();
    this.#ends.get(name)!(error);
    await settled();
  }
}

/** Longer than any chain of promises in this file. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('RequestOrder', () => {
  it('runs reads in parallel', async () => {
    const requests = new Requests();
    requests.ask('read', 'r1');
    requests.ask('read', 'r2');
    await requests.end('r2');
    await requests.end('r1');
    expect(requests.log).toEqual(['r1 runs', 'r2 runs', 'r2 done', 'r1 done']);
  });

  it('runs writes one after the other, whether they succeed or not', async () => {
    const requests = new Requests();
    requests.ask('write', 'w1');
    requests.ask('write', 'w2');
    await settled();
    expect(requests.log).toEqual(['w1 runs']);
    await requests.end('w1', new Error('refused'));
    await requests.end('w2');
    expect(requests.log.slice(1)).toEqual(['w2 runs', 'w1 failed', 'w2 done']);
  });

  it('lets a read see the writes that were requested before it', async () => {
    const requests = new Requests();
    requests.ask('write', 'w');
    requests.ask('read', 'r');
    await settled();
    expect(requests.log).toEqual(['w runs']);
    await requests.end('w');
    await requests.end('r');
    expect(requests.log.slice(1)).toEqual(['r runs', 'w done', 'r done']);
  });

  it('reports no write before the reads that were requested before it, but already runs it', async () => {
    const requests = new Requests();
    requests.ask('read', 'r1');
    requests.ask('write', 'w');
    await requests.end('w');
    requests.ask('read', 'r2');
    await requests.end('r2');
    expect(requests.log).toEqual(['r1 runs', 'w runs', 'r2 runs', 'r2 done']);
    await requests.end('r1');
    expect(requests.log.slice(4)).toEqual(['r1 done', 'w done']);
  });

  it('reports writes in order, even with a failed read among them', async () => {
    const requests = new Requests();
    requests.ask('read', 'r');
    requests.ask('write', 'w1');
    requests.ask('write', 'w2');
    await requests.end('w1');
    await requests.end('w2');
    expect(requests.log).toEqual(['r runs', 'w1 runs', 'w2 runs']);
    await requests.end('r', new Error('lost'));
    expect(requests.log.slice(3)).toEqual(['r failed', 'w1 done', 'w2 done']);
  });
});
