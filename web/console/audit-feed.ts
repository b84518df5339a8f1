/** The audit trail: who viewed what from where, and what changed. */

import { type Answer, call } from './api.ts';
import { actionText } from './audit-words.ts';
import { csvOf } from './csv.ts';
import { may } from './session.ts';
import { t } from './words.ts';

export type AuditEntry = Answer<'report/getAuditFeed'>['auditEvents'][number];

export type AuditKind = 'all' | 'views' | 'links' | 'changes';

export interface AuditQuery {
  readonly kind: AuditKind;
  /** Only what concerns this camera; null: everything. */
  readonly cameraUuid: string | null;
  /** Epoch milliseconds, inclusive; null: from the beginning. */
  readonly fromMs: number | null;
  /** Epoch milliseconds, exclusive; null: until now. */
  readonly toMs: number | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Where older ones begin (as `toMs`); null: there are none. */
  readonly olderThanMs: number | null;
}

/** Actions of viewers; everything else changed something. */
const VIEWS = [
  'VIEW_CAMERA_LIVE',
  'VIEW_CAMERA_LIVE_END',
  'VIEW_CAMERA_VOD',
  'VIEW_SHARE_CLIP',
  'VIEW_SHARE_STREAM',
  'VIEW_SHARE_STREAM_END',
  'VIEW_SHARE_TIMELAPSE',
  'VIEW_SHARE_VIDEOWALL',
] as const;

/** Of people who have a link. */
const LINK_VIEWS = VIEWS.filter((action) => action.startsWith('VIEW_SHARE_'));

const PRINCIPAL_NAMES: Readonly<Record<string, string>> = {
  API_TOKEN: t('API key'),
  API_OAUTH_TOKEN: t('Application'),
  PARTNER: t('Partner key'),
  DEVICE: t('Device'),
  USER: t('Person'),
  SHARED_STREAM: t('Viewer of a link'),
  SHARED_CLIP: t('Viewer of clips'),
  SHARED_TIMELAPSE: t('Viewer of timelapses'),
  UNKNOWN: t('The gateway'),
};

/** Entries in a file: enough for a year of most installations, and no more than a browser holds easily. */
export const MAX_EXPORTED = 50_000;

/** Fails with a CallError. */
export async function readAuditPage(
  { kind, cameraUuid, fromMs, toMs }: AuditQuery,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const { auditEvents, warningMsg } = await call(
    'report/getAuditFeed',
    {
      ...(cameraUuid === null ? {} : { cameraUuid }),
      ...(fromMs === null ? {} : { timestampMsAfter: fromMs }),
      ...(toMs === null ? {} : { timestampMsBefore: toMs }),
      ...(kind === 'views' ? { includeActions: VIEWS } : {}),
      ...(kind === 'links' ? { includeActions: LINK_VIEWS } : {}),
      ...(kind === 'changes' ? { excludeActions: VIEWS } : {}),
    },
    signal,
  );
  const last = auditEvents.at(-1);
  // The only thing that this call warns of.
  const isMore = warningMsg !== undefined && last !== undefined;
  return { entries: auditEvents, olderThanMs: isMore ? Date.parse(last.timestamp) : null };
}

/** The page and the one after it. */
export async function withOlder(
  page: AuditPage,
  query: AuditQuery,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const older = await readAuditPage({ ...query, toMs: page.olderThanMs }, signal);
  return { entries: [...page.entries, ...older.entries], olderThanMs: older.olderThanMs };
}

/** Whether the person themselves watched something, which is most of what an operator's trail has. */
export function isOwnView({ action, principalUuid }: AuditEntry, personUuid: string): boolean {
  return principalUuid === personUuid && VIEWS.some((view) => view === action);
}

/** The kind of principal, in words. */
export function principalKind({ principalType }: AuditEntry): string {
  return PRINCIPAL_NAMES[principalType] ?? principalType;
}

/** The principal, in words. */
export function principalText(entry: AuditEntry): string {
  const { principalType, principalName, clientType } = entry;
  const isUnnamed = principalType.startsWith('SHARED_') && clientType !== 'SHARE_SSO';
  if (isUnnamed || principalName === '') return principalKind(entry);
  return principalName;
}

/** The text that a search covers. */
export function searchedText(entry: AuditEntry): string {
  const { displayText, action, sourceIp, userAgent } = entry;
  return [
    displayText,
    actionText(action),
    action,
    principalText(entry),
    principalKind(entry),
    sourceIp,
    userAgent,
  ].join(' ');
}

/** Only operators get them. */
const WHERE: ReadonlySet<string> = new Set([t('Address'), t('Program')]);

const CSV_COLUMNS: readonly (readonly [title: string, value: (entry: AuditEntry) => string])[] = [
  [t('Time'), ({ timestamp }) => timestamp],
  [t('Last time'), ({ lastTimestamp }) => lastTimestamp],
  [t('Count'), ({ occurrences }) => String(occurrences)],
  [t('Action'), ({ action }) => action],
  [t('Description'), ({ displayText }) => displayText],
  [t('Who'), principalText],
  [t('Kind of who'), principalKind],
  [t('Address'), ({ sourceIp }) => sourceIp],
  [t('Program'), ({ userAgent }) => userAgent],
  [t('Target'), ({ targetName }) => targetName],
  [t('Target UUID'), ({ targetUuid }) => targetUuid],
  [t('Who UUID'), ({ principalUuid }) => principalUuid],
];

/**
 * All entries of `query` that match, as a CSV file, at most MAX_EXPORTED. `onProgress`: how many were read. Fails with a
 * CallError.
 */
export async function exportAudit(
  query: AuditQuery,
  matches: (entry: AuditEntry) => boolean,
  onProgress: (readCount: number) => void,
  signal: AbortSignal,
): Promise<{ readonly csv: string; readonly isComplete: boolean }> {
  const chosen: AuditEntry[] = [];
  let readCount = 0;
  let toMs = query.toMs;
  do {
    const page = await readAuditPage({ ...query, toMs }, signal);
    readCount += page.entries.length;
    chosen.push(...page.entries.filter(matches));
    toMs = page.olderThanMs;
    onProgress(readCount);
  } while (toMs !== null && chosen.length < MAX_EXPORTED);
  const columns = may('operator') ? CSV_COLUMNS : CSV_COLUMNS.filter(([title]) => !WHERE.has(title));
  const rows = chosen.slice(0, MAX_EXPORTED).map((entry) => columns.map(([, value]) => value(entry)));
  return {
    csv: csvOf([columns.map(([title]) => title), ...rows]),
    isComplete: toMs === null && chosen.length <= MAX_EXPORTED,
  };
}
