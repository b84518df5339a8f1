import { expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually-fixture.ts';
import type { TimelineEvent } from './event-feed.ts';

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { EventFeed, eventTitle, jumpTimeOf } = await import('./event-feed.ts');
const { CallError } = await import('./api.ts');

const PAGE = 10;

function event(number: number): TimelineEvent {
  const where = { deviceUuid: 'camera', cameraUuid: 'camera' };
  return {
    kind: 'MOTION',
    id: String(number),
    timestampMs: number,
    title: '',
    what: ['MOTION'],
    acknowledged: false,
    ...where,
  };
}

/** A gateway with these events, newest first, that looks at `looked` of them per call. */
function feedOf(numbers: number[], { looked = PAGE, isWanted = (_: number): boolean => true } = {}) {
  const state = { numbers, fails: false };
  const requested: (string | null)[] = [];
  const feed = new EventFeed(async (afterKey) => {
    requested.push(afterKey);
    if (state.fails) throw new CallError('No network.', { status: 0 });
    const from = state.numbers.findIndex((number) => afterKey === null || number < Number(afterKey));
    const page = from < 0 ? [] : state.numbers.slice(from, from + looked);
    const isMore = from >= 0 && from + looked < state.numbers.length;
    return { events: page.filter(isWanted).map(event), nextKey: isMore ? String(page.at(-1)) : null };
  });
  const ids = () => {
    const reading = feed.state.value;
    return reading.kind === 'read' ? reading.value.events.map(({ id }) => Number(id)) : null;
  };
  const shows = (length: number) =>
    eventually(`${length} events`, () => {
      return ids()?.length === length;
    });
  return { feed, state, requested, ids, shows };
}

const downFrom = (newest: number) => Array.from({ length: newest }, (_, i) => newest - i);

test('reads the newest page, and a further one on request', async () => {
  const { feed, ids, shows } = feedOf(downFrom(25));
  feed.refresh();
  await shows(10);
  feed.more();
  feed.more();
  await shows(20);
  feed.more();
  await shows(25);
  expect(feed.state.value).toMatchObject({ value: { isMore: false } });
  feed.more();
  expect(ids()).toEqual(downFrom(25));
});

test('continues through empty pages until there is something to show', async () => {
  const { feed, requested, shows, ids } = feedOf(downFrom(50), { isWanted: (number) => number === 3 });
  feed.refresh();
  await shows(1);
  expect(ids()).toEqual([3]);
  expect(requested.length).toBe(5);
});

test('a change brings new events and keeps the older pages', async () => {
  const { feed, state, shows, ids } = feedOf(downFrom(30));
  feed.refresh();
  await shows(10);
  feed.more();
  await shows(20);
  state.numbers = downFrom(32);
  feed.refresh();
  await shows(22);
  expect(ids()).toEqual(downFrom(32).slice(0, 22));
  feed.more();
  await shows(32);
  expect(ids()).toEqual(downFrom(32));
});

test('more new events than a page begin the list again, without a hole', async () => {
  const { feed, state, shows, ids } = feedOf(downFrom(30));
  feed.refresh();
  await shows(10);
  feed.more();
  await shows(20);
  state.numbers = downFrom(90);
  feed.refresh();
  await eventually('the newest', () => ids()?.[0] === 90);
  expect(ids()).toEqual(downFrom(90).slice(0, 10));
});

test('a failure leaves what is known', async () => {
  const { feed, state, shows } = feedOf(downFrom(30));
  feed.refresh();
  await shows(10);
  state.fails = true;
  feed.more();
  await eventually('the error', () => {
    const reading = feed.state.value;
    return reading.kind === 'read' && reading.error !== null;
  });
  await shows(10);
});

test.each([
  [{ kind: 'MOTION', title: '', what: ['MOTION_HUMAN'] }, 'Person'],
  [{ kind: 'ALERT', title: '', what: ['FACE_KNOWN', 'LOITERING'] }, 'Face known, Loitering'],
  [{ kind: 'ALERT', title: 'Someone at the gate', what: ['MOTION'] }, 'Someone at the gate'],
  [{ kind: 'CAMERA', title: '', what: ['DOWN'] }, 'Offline'],
  [{ kind: 'CAMERA', title: '', what: [] }, 'Back online'],
  [{ kind: 'DOOR', title: '', what: ['DoorRelayStateChangeEvent'] }, 'Door relay state change'],
  [{ kind: 'CLIP', title: '', what: [] }, 'Clip'],
] as const)('%j is called %s', (what, title) => {
  expect(eventTitle({ ...what, what: [...what.what] })).toBe(title);
});

test('a jump leads to shortly before an event, and to the first frame of a clip', () => {
  expect(jumpTimeOf({ kind: 'ALERT', timestampMs: 60_000 })).toBe(55_000);
  expect(jumpTimeOf({ kind: 'CLIP', timestampMs: 60_000 })).toBe(60_000);
});
