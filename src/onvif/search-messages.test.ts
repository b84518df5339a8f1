import { describe, expect, it } from 'vitest';
import { findTrackChanges, getReplayUri, readRecordings, readTrackChanges } from './search-messages.ts';
import { parseXml } from './xml-element.ts';

describe('recordings on an ONVIF device', () => {
  it('are read with their times and tracks', () => {
    const body = parseXml(
      '<b><r><ResultList><SearchState>Completed</SearchState>' +
        '<RecordingInformation><RecordingToken>R1</RecordingToken><EarliestRecording>2024-01-31T10:00:00Z</EarliestRecording>' +
        '<LatestRecording>2024-01-31T12:00:00</LatestRecording><Track><TrackToken>A</TrackToken><TrackType>Audio</TrackType></Track></RecordingInformation>' +
        '<RecordingInformation><RecordingToken>R2</RecordingToken></RecordingInformation>' +
        '<RecordingInformation/></ResultList></r></b>',
    );
    expect(readRecordings(body)).toEqual({
      isOpen: false,
      results: [
        {
          token: 'R1',
          hasVideo: false,
          fromMs: Date.UTC(2024, 0, 31, 10),
          toMs: Date.UTC(2024, 0, 31, 12),
        },
        { token: 'R2', hasVideo: true, fromMs: null, toMs: null },
      ],
    });
  });

  it('have tracks with data from a time on, or none; other events are left out', () => {
    const item = (name: string, value: string) => `<SimpleItem Name="${name}" Value="${value}"/>`;
    const result = (time: string, data: string) =>
      `<Result><RecordingToken>R1</RecordingToken><TrackToken>V</TrackToken><Time>${time}</Time><Event><Message><Data>${data}</Data></Message></Event></Result>`;
    const body = parseXml(
      `<b><r><ResultList><SearchState>Searching</SearchState>${result('2024-01-31T10:00:00Z', item('IsDataPresent', 'true'))}` +
        `${result('2024-01-31T11:00:00+01:00', item('IsDataPresent', '0'))}${result('2024-01-31T11:00:00Z', item('Motion', 'true'))}` +
        `${result('soon', item('IsDataPresent', 'true'))}</ResultList></r></b>`,
    );
    const atMs = Date.UTC(2024, 0, 31, 10);
    expect(readTrackChanges(body)).toEqual({
      isOpen: true,
      results: [
        { token: 'V', atMs, isRecorded: true },
        { token: 'V', atMs, isRecorded: false },
      ],
    });
  });

  it('are requested by tokens that cannot end an element', () => {
    expect(findTrackChanges('<&', 0, 1).body).toContain('>&lt;&amp;<');
    expect(getReplayUri('<&').body).toContain('>&lt;&amp;<');
  });
});
