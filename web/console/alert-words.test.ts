import { describe, expect, it } from 'vitest';
import './page-address-fixture.ts';
import { NO_IMAGE, shownImage } from './alert-image.ts';
import { announcementOf } from './alert-words.ts';

const names = new Map([['c1', 'Lobby']]);
const alert = (deviceUuid: string, textDescription: string) =>
  ({ uuid: textDescription, deviceUuid, textDescription, timestampMs: 1 }) as never;

describe('the announcement of new alerts', () => {
  it('names the alert and its camera', () => {
    expect(announcementOf([alert('c1', 'Person at the door')], names)).toBe(
      'New alert: Person at the door, Lobby',
    );
  });

  it('counts several, and names the newest', () => {
    const fresh = [alert('c2', 'Motion'), alert('c1', 'Person')];
    expect(announcementOf(fresh, names)).toBe('2 new alerts. The newest: Motion, a device that was removed');
  });
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
