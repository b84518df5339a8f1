/** Recordings on an ONVIF device: Recording Search and Replay Control (profile G), requests and responses. */

import type { SoapMessage } from './soap.ts';
import { childrenOf, descendant, descendants, escapeXml, textOf, type XmlElement } from './xml-element.ts';

const SEARCH = 'http://www.onvif.org/ver10/search/wsdl';
const REPLAY = 'http://www.onvif.org/ver10/replay/wsdl';
const SCHEMA = 'http://www.onvif.org/ver10/schema';
const NOTIFICATION = 'http://docs.oasis-open.org/wsn/b-2';
const TOPICS = 'http://www.onvif.org/ver10/topics';
/** Whether a track has data from now on (Recording Search §5.26). */
const TRACK_STATE = 'tns1:RecordingHistory/Track/State';
const KEEP_ALIVE = '<s:KeepAliveTime>PT30S</s:KeepAliveTime>';

export interface FoundRecording {
  readonly token: string;
  /** Has a track of video. */
  readonly hasVideo: boolean;
  /** Epoch milliseconds; null: the device does not say. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** A track has data from this time on, or has none. */
export interface TrackChange {
  readonly token: string;
  readonly atMs: number;
  readonly isRecorded: boolean;
}

export interface SearchPage<Result> {
  readonly results: readonly Result[];
  /** More will come. */
  readonly isOpen: boolean;
}

export function findRecordings(): SoapMessage {
  return searchMessage('FindRecordings', `<s:Scope/>${KEEP_ALIVE}`);
}

export function findTrackChanges(token: string, fromMs: number, toMs: number): SoapMessage {
  const scope = `<s:Scope><t:IncludedRecordings xmlns:t="${SCHEMA}">${escapeXml(token)}</t:IncludedRecordings></s:Scope>`;
  const filter =
    `<s:SearchFilter><n:TopicExpression xmlns:n="${NOTIFICATION}" xmlns:tns1="${TOPICS}" ` +
    `Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">${TRACK_STATE}</n:TopicExpression></s:SearchFilter>`;
  const times = `<s:StartPoint>${timeText(fromMs)}</s:StartPoint><s:EndPoint>${timeText(toMs)}</s:EndPoint>`;
  const state = '<s:IncludeStartState>true</s:IncludeStartState>';
  return searchMessage('FindEvents', `${times}${scope}${filter}${state}${KEEP_ALIVE}`);
}

export function getResults(of: 'recordings' | 'events', searchToken: string): SoapMessage {
  const operation = of === 'recordings' ? 'GetRecordingSearchResults' : 'GetEventSearchResults';
  const limits =
    '<s:MinResults>1</s:MinResults><s:MaxResults>200</s:MaxResults><s:WaitTime>PT5S</s:WaitTime>';
  return searchMessage(operation, `<s:SearchToken>${escapeXml(searchToken)}</s:SearchToken>${limits}`);
}

export function endSearch(searchToken: string): SoapMessage {
  return searchMessage('EndSearch', `<s:SearchToken>${escapeXml(searchToken)}</s:SearchToken>`);
}

export function getReplayUri(recordingToken: string): SoapMessage {
  const setup =
    `<r:StreamSetup><t:Stream xmlns:t="${SCHEMA}">RTP-Unicast</t:Stream>` +
    `<t:Transport xmlns:t="${SCHEMA}"><t:Protocol>RTSP</t:Protocol></t:Transport></r:StreamSetup>`;
  return {
    body: `<r:GetReplayUri xmlns:r="${REPLAY}">${setup}<r:RecordingToken>${escapeXml(recordingToken)}</r:RecordingToken></r:GetReplayUri>`,
    action: `${REPLAY}/GetReplayUri`,
  };
}

/** null: the response has none. */
export function readSearchToken(body: XmlElement): string | null {
  return textOf(body, 'SearchToken');
}

/** null: the response has none. */
export function readReplayUri(body: XmlElement): string | null {
  return textOf(body, 'Uri');
}

export function readRecordings(body: XmlElement): SearchPage<FoundRecording> {
  const results: FoundRecording[] = [];
  for (const information of descendants(body, 'RecordingInformation')) {
    const token = textOf(information, 'RecordingToken');
    if (token === null) continue;
    const tracks = childrenOf(information, 'Track');
    results.push({
      token,
      // Some devices list no tracks.
      hasVideo:
        tracks.length === 0 || tracks.some((track) => /^video$/i.test(textOf(track, 'TrackType') ?? '')),
      fromMs: timeOf(textOf(information, 'EarliestRecording')),
      toMs: timeOf(textOf(information, 'LatestRecording')),
    });
  }
  return { results, isOpen: isOpen(body) };
}

/** Of all tracks. */
export function readTrackChanges(body: XmlElement): SearchPage<TrackChange> {
  const results: TrackChange[] = [];
  for (const result of descendants(body, 'Result')) {
    const atMs = timeOf(childrenOf(result, 'Time')[0]?.text.trim() ?? null);
    const token = textOf(result, 'TrackToken');
    const items = descendants(result, 'SimpleItem');
    const value = items
      .find(({ attributes }) => attributes.get('Name') === 'IsDataPresent')
      ?.attributes.get('Value');
    if (atMs === null || token === null || value === undefined) continue;
    results.push({ token, atMs, isRecorded: /^(?:true|1)$/i.test(value) });
  }
  return { results, isOpen: isOpen(body) };
}

function isOpen(body: XmlElement): boolean {
  return !/^completed$/i.test(descendant(body, 'SearchState')?.text.trim() ?? 'Completed');
}

/** Without a zone, devices mean UTC. */
function timeOf(text: string | null): number | null {
  if (text === null) return null;
  const timeMs = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(timeMs) ? null : timeMs;
}

function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function searchMessage(operation: string, fields: string): SoapMessage {
  return {
    body: `<s:${operation} xmlns:s="${SEARCH}">${fields}</s:${operation}>`,
    action: `${SEARCH}/${operation}`,
  };
}
