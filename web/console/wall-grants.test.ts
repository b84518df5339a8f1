import './page-address-fixture.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallError } from './api.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import { WallGrants } from './wall-grants.ts';

const MINUTE_MS = 60_000;
let requests: string[];
let changes: number;
let fail: CallError | null;
let made: number;
let grants: WallGrants;

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  changes = 0;
  fail = null;
  made = 0;
  grants = new WallGrants(
    () => {
      changes += 1;
    },
    async (cameraUuid, grant) => {
      requests.push(`${cameraUuid} ${grant ?? 'new'}`);
      if (fail !== null) throw fail;
      return { grant: grant ?? `grant-${++made}`, endsAtMs: gatewayNowMs() + 10 * MINUTE_MS };
    },
  );
});
afterEach(() => {
  grants.close();
  vi.useRealTimers();
});

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const grantOf = (cameraUuid: string) => {
  const state = grants.of(cameraUuid);
  return state.kind === 'open' ? state.grant : state.kind;
};

it('opens one grant for each camera, and extends it before it ends, under the same name', async () => {
  grants.want(['dock', 'gate']);
  expect(grantOf('dock')).toBe('opening');
  await passed(0);
  expect([grantOf('dock'), grantOf('gate')]).toEqual(['grant-1', 'grant-2']);
  const before = changes;
  await passed(5 * MINUTE_MS);
  expect(requests).toEqual(['dock new', 'gate new', 'dock grant-1', 'gate grant-2']);
  // Nothing to tell: the players play on.
  expect(changes).toBe(before);
});

it('asks nothing more for a camera that left the wall, whatever is on its way', async () => {
  grants.want(['dock', 'gate']);
  grants.want(['gate']);
  await passed(20 * MINUTE_MS);
  expect(requests.filter((each) => each.startsWith('dock'))).toEqual(['dock new']);
  expect(grantOf('dock')).toBe('opening');
  grants.close();
  const { length } = requests;
  await passed(60 * MINUTE_MS);
  expect(requests).toHaveLength(length);
  expect(vi.getTimerCount()).toBe(0);
});

it('replaces a grant that no longer opens its camera, once, and after growing pauses', async () => {
  grants.want(['dock']);
  await passed(0);
  grants.replace('dock', 'grant-1');
  grants.replace('dock', 'grant-1');
  await passed(2_000);
  expect(grantOf('dock')).toBe('grant-2');
  grants.replace('dock', 'grant-1');
  expect(grantOf('dock')).toBe('grant-2');
  grants.replace('dock', 'grant-2');
  await passed(2_000);
  expect(grantOf('dock')).toBe('opening');
  await passed(2_000);
  expect(grantOf('dock')).toBe('grant-3');
});

it('keeps a grant that could not be extended until it ends, and says then why there is none', async () => {
  grants.want(['dock']);
  await passed(0);
  fail = new CallError('Busy', { status: 503 });
  await passed(9 * MINUTE_MS);
  expect(grantOf('dock')).toBe('grant-1');
  await passed(2 * MINUTE_MS);
  expect(grants.of('dock')).toEqual({ kind: 'failed', error: fail });
  fail = null;
  await passed(30_000);
  expect(grantOf('dock')).toBe('grant-2');
});

it('waits as long as the gateway says', async () => {
  fail = new CallError('Too many', { status: 429, retryAfterSec: 20 });
  grants.want(['dock']);
  await passed(19_000);
  expect(requests).toEqual(['dock new']);
  await passed(2_000);
  expect(requests).toEqual(['dock new', 'dock new']);
});
