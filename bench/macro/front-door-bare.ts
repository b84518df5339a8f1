/** Child module: the reference of the front-door benchmark: Fastify routes that return ready-made bytes and headers. */

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { keepNewSpaceSmall } from '../../src/core/new-space.ts';
import { answerParent, type ProcessUsage, processUsage } from '../support/child-module.ts';

export interface BareRoute {
  /** Without query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyFile: string;
}

export interface BareCalls {
  /** Returns the port. */
  start(routes: readonly BareRoute[]): Promise<number>;
  usage(nothing: null): ProcessUsage;
}

async function start(routes: readonly BareRoute[]): Promise<number> {
  keepNewSpaceSmall();
  const app = Fastify();
  for (const { path, headers, bodyFile } of routes) {
    const body = readFileSync(bodyFile);
    app.get(path, (_request, reply) => {
      reply.headers(headers).send(body);
    });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

const calls: BareCalls = { start, usage: processUsage };

answerParent(calls);
