/** Cameras and their names as a file for spreadsheets, and back. Logins are read, and never written. Pure, except for the calls. */

import {
  type CameraPlace,
  createCamera,
  type KnownSource,
  loginFields,
  type Named,
  type NewSource,
  readSource,
} from './camera-adding.ts';
import { hostFault, joined, takeApart } from './camera-address.ts';
import type { CameraItem } from './camera-state.ts';
import { csvOf, rowsOfCsv } from './csv.ts';
import { eachInTurn, onceKeeper, patiently } from './in-turn.ts';
import { placeCamera } from './site-list.ts';
import { t } from './words.ts';

/** In the order of an export. */
export const COLUMNS = [
  'name',
  'site',
  'nvr',
  'address',
  'substream',
  'onvif',
  'username',
  'password',
  'uuid',
] as const;
type ColumnName = (typeof COLUMNS)[number];
type Cells = Readonly<Record<ColumnName, string>>;

export const MAX_IMPORT_ROWS = 2_000;
export const MAX_IMPORT_BYTES = 2 * 1_024 * 1_024;
const MAX_NAME_CHARS = 256;
const READ_AT_ONCE = 4;

/** A camera, and where it is and how it is opened. */
export interface KnownCamera extends KnownSource {
  readonly uuid: string;
}

/** What the organization has, for names in a file. */
export interface Inventory {
  readonly cameras: readonly KnownCamera[];
  readonly sites: readonly Named[];
  readonly nvrs: readonly Named[];
}

export type PlannedRow = { readonly line: number; readonly name: string } & (
  | { readonly kind: 'error'; readonly sentence: string }
  | { readonly kind: 'same' }
  | {
      readonly kind: 'create';
      readonly source: NewSource;
      readonly place: CameraPlace;
      readonly onceOf: ReturnType<typeof onceKeeper>;
    }
  | { readonly kind: 'change'; readonly cameraUuid: string; readonly changes: Partial<CameraPlace> }
);

/** Fails with a CallError. */
export async function readKnown(
  cameras: readonly CameraItem[],
  signal: AbortSignal,
): Promise<readonly KnownCamera[]> {
  const known = new Map<string, KnownCamera>();
  let failure: Error | null = null;
  await eachInTurn(
    cameras,
    { atOnce: READ_AT_ONCE, signal },
    ({ uuid }) => patiently(signal, () => readSource(uuid, signal)),
    ({ uuid }, progress) => {
      if (progress.kind === 'done') known.set(uuid, { ...progress.result, uuid });
      if (progress.kind === 'failed') failure ??= progress.error;
    },
  );
  if (failure !== null) throw failure;
  return cameras.flatMap(({ uuid }) => known.get(uuid) ?? []);
}

export function csvOfCameras({ cameras, sites, nvrs }: Inventory): string {
  const nameOf = (items: readonly Named[], wanted: string | undefined) =>
    items.find(({ uuid }) => uuid === wanted)?.name ?? '';
  return csvOf([
    COLUMNS,
    ...cameras.map(({ uuid, name, locationUuid, nvrUuid, source }) => [
      name,
      nameOf(sites, locationUuid),
      nameOf(nvrs, nvrUuid),
      source.mainUrl ?? '',
      source.substreamUrl ?? '',
      source.onvifUrl ?? '',
      '',
      '',
      uuid,
    ]),
  ]);
}

/** A reason why nothing of the file can be read, or a plan for each of its rows. */
export function planOfCsv(text: string, inventory: Inventory): string | readonly PlannedRow[] {
  const [head, ...rows] = rowsOfCsv(text);
  if (head === undefined) return t('The file is empty.');
  const columns = head.cells.map((cell) => cell.trim().toLowerCase());
  if (!columns.includes('name')) {
    return t('The first line has the names of the columns: {columns}. “name” is missing.', {
      columns: COLUMNS.join(', '),
    });
  }
  const unknown = columns.find((column) => column !== '' && !(COLUMNS as readonly string[]).includes(column));
  if (unknown !== undefined)
    return t('There is no column “{unknown}”. The columns are {columns}.', {
      unknown,
      columns: COLUMNS.join(', '),
    });
  if (rows.length > MAX_IMPORT_ROWS)
    return t('At most {maxImportRows} cameras can be imported at once.', { maxImportRows: MAX_IMPORT_ROWS });
  const seen = new Map<string, number>();
  const known = new Map(inventory.cameras.map((camera) => [addressKey(camera.source.mainUrl ?? ''), camera]));
  return rows.map(({ line, cells }) => {
    const cell = (column: ColumnName) => (cells[columns.indexOf(column)] ?? '').trim();
    const given = Object.fromEntries(COLUMNS.map((column) => [column, cell(column)])) as Cells;
    return { line, name: given.name, ...plannedRow(given, line, inventory, { seen, known }) } as PlannedRow;
  });
}

interface Addresses {
  /** Lines of the file, by address. */
  readonly seen: Map<string, number>;
  readonly known: ReadonlyMap<string, KnownCamera>;
}

type Plan = PlannedRow extends infer Row
  ? Row extends PlannedRow
    ? Omit<Row, 'line' | 'name'>
    : never
  : never;

function plannedRow(cells: Cells, line: number, inventory: Inventory, { seen, known }: Addresses): Plan {
  if (cells.name === '') return refused(t('It has no name.'));
  if (cells.name.length > MAX_NAME_CHARS)
    return refused(t('A name has at most {maxNameChars} characters.', { maxNameChars: MAX_NAME_CHARS }));
  const site = namedIn(inventory.sites, cells.site, 'site');
  const nvr = namedIn(inventory.nvrs, cells.nvr, 'NVR');
  if (site.fault !== null) return refused(site.fault);
  if (nvr.fault !== null) return refused(nvr.fault);
  const place = { name: cells.name, locationUuid: site.uuid, nvrUuid: nvr.uuid };
  if (cells.uuid !== '') return changeOf(cells.uuid, place, inventory);
  const key = addressKey(cells.address);
  const before = seen.get(key);
  if (before !== undefined) return refused(t('Line {before} has the same address.', { before }));
  seen.set(key, line);
  const there = known.get(key);
  if (there !== undefined) return refused(t('{name} has this address already.', { name: there.name }));
  return creationOf(cells, place);
}

function refused(sentence: string): Plan {
  return { kind: 'error', sentence };
}

function namedIn(
  items: readonly Named[],
  name: string,
  what: string,
): { readonly uuid: string; readonly fault: string | null } {
  if (name === '') return { uuid: '', fault: null };
  const found = items.filter((item) => item.name.toLowerCase() === name.toLowerCase());
  if (found.length === 1) return { uuid: found[0]!.uuid, fault: null };
  const fault =
    found.length === 0
      ? t('There is no {what} “{name}”.', { what, name })
      : t('There are several of the name “{name}”.', { name });
  return { uuid: '', fault };
}

/** Empty cells of a camera that exists change nothing. */
function changeOf(uuid: string, place: CameraPlace, { cameras }: Inventory): Plan {
  const camera = cameras.find((each) => each.uuid === uuid);
  if (camera === undefined)
    return refused(t('There is no camera with this uuid. Leave it empty to create one.'));
  const changes: Partial<CameraPlace> = {
    ...(place.name === camera.name ? {} : { name: place.name }),
    ...(place.locationUuid === '' || place.locationUuid === camera.locationUuid
      ? {}
      : { locationUuid: place.locationUuid }),
    ...(place.nvrUuid === '' || place.nvrUuid === camera.nvrUuid ? {} : { nvrUuid: place.nvrUuid }),
  };
  if (Object.keys(changes).length === 0) return { kind: 'same' };
  if (camera.declared) return refused(t('The configuration file declares this camera. Change it there.'));
  return { kind: 'change', cameraUuid: uuid, changes };
}

function creationOf(cells: Cells, place: CameraPlace): Plan {
  if (cells.address === '') return refused(t('A new camera needs an address.'));
  const parts = takeApart(cells.address);
  const fault = parts === null ? t('This is not an address.') : hostFault(parts.host);
  if (parts === null || fault !== null) return refused(fault ?? '');
  const login =
    cells.username === '' && cells.password === ''
      ? (parts.login ?? { username: '', password: '' })
      : { username: cells.username, password: cells.password };
  const substream = cells.substream === '' ? null : takeApart(cells.substream);
  if (cells.substream !== '' && substream === null) return refused(t('The substream is not an address.'));
  const source: NewSource = {
    mainUrl: joined(parts),
    ...(substream === null ? {} : { substreamUrl: joined(substream) }),
    ...(cells.onvif === '' ? {} : { onvifUrl: cells.onvif }),
    ...loginFields(login),
  };
  return { kind: 'create', source, place, onceOf: onceKeeper() };
}

/** The address without its login and usual port. */
export function addressKey(address: string): string {
  const parts = takeApart(address);
  return parts === null ? address : joined(parts);
}

/** Creates or changes one camera. Fails with a CallError. */
export async function carryOut(row: PlannedRow, signal: AbortSignal): Promise<void> {
  if (row.kind === 'create') {
    const { source, place, onceOf } = row;
    await patiently(signal, () => createCamera(source, place, onceOf({ source, place }), signal));
  }
  if (row.kind === 'change') {
    await patiently(signal, () => placeCamera(row.cameraUuid, row.changes));
  }
}
