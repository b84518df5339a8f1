/**
 * How, where from, and about what a person is notified, as they choose it, and as the rows and mediums of time frames that the gateway
 * stores. Pure.
 */

import type { TimeFrame } from './quiet-hours.ts';
import type { Scope } from './rights.ts';

/** Of the gateway itself; others are of other services. */
export const MEDIUMS = ['APP', 'BROWSER', 'EMAIL'] as const;
export type Medium = (typeof MEDIUMS)[number];
type AnyMedium = NonNullable<TimeFrame['mediums']>[number];
type Row = NonNullable<TimeFrame['rows']>[number];

export interface NoticeChoice {
  readonly mediums: readonly Medium[];
  /** undefined: everywhere. */
  readonly places: Scope;
  /** As alerts name them, such as MOTION_HUMAN; empty: all. */
  readonly kinds: readonly string[];
}

/** Mail is for those who ask for it. */
const USUAL_MEDIUMS: readonly Medium[] = ['APP', 'BROWSER'];

export const EVERYTHING: NoticeChoice = { mediums: USUAL_MEDIUMS, places: undefined, kinds: [] };

/** What cameras report themselves. */
export const USUAL_KINDS = ['MOTION', 'MOTION_HUMAN', 'MOTION_CAR', 'MOTION_ANIMAL', 'TAMPER'] as const;

const FACET = /\.[a-z]\d+$/;

/** Without `mediums`, a frame is about all of them; with an empty list, about none. */
export function isOurs({ mediums }: TimeFrame): boolean {
  return mediums === undefined || mediums.some(isMedium);
}

function isMedium(medium: AnyMedium): medium is Medium {
  return (MEDIUMS as readonly AnyMedium[]).includes(medium);
}

/** That of the first frame of ours. `wantsMail`: whether all mails are on or off; undefined: the frames say it. */
export function choiceOf(frames: readonly TimeFrame[] | undefined, wantsMail?: boolean): NoticeChoice {
  const first = frames?.find(isOurs);
  const unnamed = wantsMail === true ? MEDIUMS : USUAL_MEDIUMS;
  if (first === undefined) return { ...EVERYTHING, mediums: unnamed };
  const { mediums = unnamed, rows = [] } = first;
  const [row = {}] = rows;
  const { devices = [], locations = [], activities = [] } = row;
  return {
    mediums: MEDIUMS.filter(
      (medium) => mediums.includes(medium) && !(medium === 'EMAIL' && wantsMail === false),
    ),
    places:
      devices.length + locations.length === 0
        ? undefined
        : { locationUuids: locations, cameraUuids: devices.map((device) => device.replace(FACET, '')) },
    kinds: activities,
  };
}

/** Whether the page can show all of it: programs can store more, such as other kinds for other hours. */
export function isPlain(frames: readonly TimeFrame[] | undefined): boolean {
  const ours = (frames ?? []).filter(isOurs);
  const [first] = ours;
  if (first === undefined) return true;
  const isSame = ours.every(
    ({ mediums, rows }) => JSON.stringify([mediums, rows]) === JSON.stringify([first.mediums, first.rows]),
  );
  const [row = {}, ...more] = first.rows ?? [];
  const known = ['devices', 'locations', 'activities'];
  return isSame && more.length === 0 && Object.keys(row).every((name) => known.includes(name));
}

/** The mediums and rows of a frame. Mediums of other services in `known` stay, and so do rows, unless the choice differs from them. */
export function frameOfChoice(
  choice: NoticeChoice,
  known: readonly TimeFrame[] = [],
): Pick<TimeFrame, 'mediums' | 'rows'> {
  const first = known.find(isOurs);
  const others = (first?.mediums ?? []).filter((medium) => !isMedium(medium));
  const rows = isSameChoice(choice, choiceOf(known)) ? first?.rows : rowsOf(choice);
  return { mediums: [...choice.mediums, ...others], ...(rows === undefined ? {} : { rows }) };
}

function rowsOf({ places, kinds }: NoticeChoice): Row[] | undefined {
  const row: Row = {
    ...(kinds.length === 0 ? {} : { activities: [...kinds] }),
    ...(places === undefined || places.locationUuids.length === 0
      ? {}
      : { locations: [...places.locationUuids] }),
    ...(places === undefined || places.cameraUuids.length === 0 ? {} : { devices: [...places.cameraUuids] }),
  };
  return Object.keys(row).length === 0 ? undefined : [row];
}

function isSameChoice(one: NoticeChoice, other: NoticeChoice): boolean {
  return JSON.stringify([one.places, one.kinds]) === JSON.stringify([other.places, other.kinds]);
}
