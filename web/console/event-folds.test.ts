import './page-address-fixture.ts';
import { expect, test } from 'vitest';
import { keyOf, type TimelineEvent } from './event-feed.ts';
import { foldedEvents, foldTitle } from './event-folds.ts';

const MINUTE_MS = 60_000;

/** As in "12 up", "11 down", "10 motion", "9 slow": at that minute. */
function eventsOf(...texts: string[]): TimelineEvent[] {
  return texts.map((text) => {
    const [minute, what] = text.split(' ');
    const isMotion = what === 'motion';
    const reported = { up: [], down: ['DOWN'], slow: ['SLOW_INTERNET'], motion: ['MOTION'] }[what!]!;
    return {
      kind: isMotion ? 'MOTION' : 'CAMERA',
      id: text,
      timestampMs: Number(minute) * MINUTE_MS,
      title: '',
      what: reported,
      acknowledged: false,
      deviceUuid: 'camera',
      cameraUuid: 'camera',
    } as TimelineEvent;
  });
}

function shown(events: readonly TimelineEvent[], ...openIds: string[]): string[] {
  const open = new Set(openIds.map((id) => keyOf({ kind: 'CAMERA', id })));
  return foldedEvents(events, open).map((item) =>
    item.kind === 'fold'
      ? `${item.isOpen ? 'open' : 'fold'} of ${item.events.map(({ id }) => id).join(', ')}`
      : `${item.isFolded ? '  ' : ''}${item.event.id}`,
  );
}

test('one row for a camera that comes and goes, and the others stay in sight', () => {
  const events = eventsOf(
    '30 motion',
    '29 up',
    '28 down',
    '27 motion',
    '20 up',
    '19 down',
    '3 motion',
    '2 up',
  );
  expect(shown(events)).toEqual([
    '30 motion',
    'fold of 29 up, 28 down, 20 up, 19 down',
    '27 motion',
    '3 motion',
    '2 up',
  ]);
});

test.each([['29 up'], ['19 down']])('opens below its row, whichever of its events was open (%s)', (id) => {
  const events = eventsOf('29 up', '28 down', '27 motion', '20 up', '19 down');
  expect(shown(events, id)).toEqual([
    'open of 29 up, 28 down, 20 up, 19 down',
    '  29 up',
    '  28 down',
    '  20 up',
    '  19 down',
    '27 motion',
  ]);
});

test.each([
  ['two are no burst', ['9 up', '8 down']],
  ['those that are far apart', ['90 up', '60 down', '30 up']],
  ['other faults of cameras', ['9 slow', '8 slow', '7 slow']],
])('leaves as they are: %s', (_why, ids) => {
  expect(shown(eventsOf(...ids))).toEqual(ids);
});

test('is called by what happened', () => {
  expect(foldTitle(eventsOf('9 up', '8 up'))).toBe('Back online');
  expect(foldTitle(eventsOf('9 down', '8 down'))).toBe('Offline');
  expect(foldTitle(eventsOf('9 up', '8 down'))).toBe('Offline and back online');
});
