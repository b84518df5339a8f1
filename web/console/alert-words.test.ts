import { describe, expect, it } from 'vitest';
import './page-address-fixture.ts';
import { NO_IMAGE, shownImage } from './alert-image.ts';
import { announcementOf, badgeText } from './alert-words.ts';

const notice = (textDescription: string, deviceName?: string) =>
  ({ alert: { textDescription }, deviceName, isCamera: true }) as never;

describe('the announcement of new alerts', () => {
  it('names the alert and its camera', () => {
    expect(announcementOf(1, notice('Person at the door', 'Lobby'))).toBe(
      'New alert: Person at the door, Lobby',
    );
  });

  it('counts several, and names the newest', () => {
    expect(announcementOf(1_000, notice('Motion'))).toMatch(
      /^1.?000 new alerts\. The newest: Motion, a device that was removed$/,
    );
  });
});

it('counts up to 99 in a badge', () => {
  expect([5, 99, 100].map((count) => badgeText({ count, isMore: false }))).toEqual(['5', '99', '99+']);
});

describe('the image of an alert', () => {
  it('stays when the gateway’s memory no longer has it and the clip is not written yet', () => {
    const shown = shownImage('a', { kind: 'image', data: 'x' });
    expect(shown).toEqual({ kind: 'image', data: 'x' });
    expect(shownImage('a', NO_IMAGE)).toBe(shown);
    expect(shownImage('a', { kind: 'image', data: 'y' })).toEqual({ kind: 'image', data: 'y' });
    expect(shownImage('b', NO_IMAGE)).toEqual(NO_IMAGE);
  });
});
