/** Disturbances for the thread that carries the cameras of a running gateway. */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestGateway } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { ChildModule } from '../../support/child-module.ts';
import type { FloodSenderCalls } from '../hostile/flooding-camera-sender.ts';

/** Node's inspector listens there once SIGUSR1 was sent. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list';
const GC_INTERVAL_MS = 500;

/** Full collections of the gateway's main isolate, one after another, for `forMs`. Returns how long each took. */
export async function collectFully(gateway: TestGateway, forMs: number): Promise<number[]> {
  gateway.child.process.kill('SIGUSR1');
  const url = await until('the inspector', async () => {
    const targets = (await (await fetch(INSPECTOR)).json()) as { webSocketDebuggerUrl: string }[];
    return targets[0]?.webSocketDebuggerUrl;
  });
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')));
  });
  let id = 0;
  const call = (method: string): Promise<void> =>
    new Promise((resolve) => {
      const requested = ++id;
      const onMessage = ({ data }: MessageEvent): void => {
        if (JSON.parse(String(data)).id !== requested) return;
        socket.removeEventListener('message', onMessage);
        resolve();
      };
      socket.addEventListener('message', onMessage);
      socket.send(JSON.stringify({ id: requested, method }));
    });
  const tookMs: number[] = [];
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    await call('HeapProfiler.collectGarbage');
    tookMs.push(performance.now() - startMs);
    await delay(GC_INTERVAL_MS);
  }
  socket.close();
  return tookMs;
}

/** A camera that sends as much as it can. The benchmark adds it, records it without viewers, and removes it in the end. */
export class FloodingCamera {
  readonly #sender = new ChildModule<FloodSenderCalls>(
    join(import.meta.dirname, '../hostile/flooding-camera-sender.ts'),
  );

  async start(): Promise<string> {
    const { tcp } = await this.#sender.call('start', null);
    return tcp;
  }

  end(): Promise<void> {
    return this.#sender.end();
  }
}
