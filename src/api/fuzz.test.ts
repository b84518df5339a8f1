import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import type { Log } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Answer } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import { headersFor, openPopulatedApi, type PopulatedApi } from './populated-organization-fixture.ts';
import { type RandomRequest, randomRequest } from './random-requests-fixture.ts';

/** Requests for each family of endpoints: those whose paths begin the same. */
const RUNS = randomRuns(200);
/** No response takes this long, no matter how busy the machine is. */
const HANG_MS = 15_000;
/** Success and refusal, not JSON, too large, another encoding. */
const STATUSES = [200, 400, 413];
/** Also that someone could not sign in. */
const OPEN_STATUSES = [...STATUSES, 401];
const STACK = /\n\s*at |\.ts:\d+|node:internal|node_modules/;

/** Calls of `video` need one of the organization's cameras and the current time, which random requests rarely have. */
const FAMILIES = Map.groupBy(ENDPOINTS, ({ category }) => (category === 'video' ? 'camera' : category));

describe('every request', () => {
  let populated: PopulatedApi;
  let names: string[];
  /** Failures of the request being handled. */
  let failures: unknown[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields) => failures.push(fields),
    child: () => log,
  };

  beforeAll(async () => {
    populated = await openPopulatedApi(log);
    const { fixture, own, foreign } = populated;
    // Without its key, no more requests would get through.
    const known = Object.values({ ...own.identifiers, tokenUuid: fixture.own.organization.uuid });
    const facets = [`${fixture.own.camera.uuid}.v0`, `${fixture.own.camera.uuid}.a1`];
    const { deliveries } = await fixture.call('/api/webhook/getDeliveries');
    expect(deliveries).not.toEqual([]);
    names = [...known, ...facets, ...Object.values(foreign.identifiers), newRuuid()];
  });
  afterAll(() => populated.close());

  /** True for a success. */
  async function hasResponse({ endpoint, payload, headers }: RandomRequest): Promise<boolean> {
    failures = [];
    const response = await withinHangTime(
      populated.fixture.api.inject({
        method: 'POST',
        url: endpoint.path,
        headers: { ...headersFor(endpoint, populated.own), ...headers },
        payload,
      }),
    );
    expect(failures).toEqual([]);
    expect(endpoint.isOpen ? OPEN_STATUSES : STATUSES).toContain(response.statusCode);
    expect(response.body).not.toMatch(STACK);
    const { mediaType = '' } = endpoint.file ?? {};
    if (mediaType !== '' && response.headers['content-type'] === `${mediaType}; charset=utf-8`) {
      expect(response.statusCode).toBe(200);
      return true;
    }
    const body = response.json<Answer>();
    expect(typeof body.error).toBe('boolean');
    expect(typeof body.errorMsg).toBe(body.error ? 'string' : 'undefined');
    if (!body.error) expect(response.statusCode).toBe(200);
    if (!body.error) expect(validatorOf(endpoint).Errors(body)).toEqual([]);
    return !body.error;
  }

  it.each([...FAMILIES])(
    'responds at %s with the envelope and as documented, and never fails internally',
    async (_family, endpoints) => {
      const request = fc
        .constantFrom(...endpoints.map((endpoint) => randomRequest(endpoint, names)))
        .chain((arbitrary) => arbitrary);
      let successes = 0;
      await fc.assert(
        fc.asyncProperty(request, async (each) => {
          if (await hasResponse(each)) successes += 1;
        }),
        RUNS,
      );
      expect(successes).toBeGreaterThan(RUNS.numRuns / 50);
    },
    600_000,
  );
});

const VALIDATORS = new Map<Endpoint, ReturnType<typeof Compile>>();

function validatorOf(endpoint: Endpoint) {
  const known = VALIDATORS.get(endpoint) ?? Compile(endpoint.responseSchema);
  VALIDATORS.set(endpoint, known);
  return known;
}

async function withinHangTime<T>(response: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
  return Promise.race([response, promise]).finally(() => clearTimeout(timer));
}
