/** The contribution of one run of the synthetic viewer, or of one report of a viewer page, to the service levels. Plain values. */

/** Why a request failed. `status-…`: the response had this kind of status. */
export const REQUEST_ERRORS = [
  'connect',
  'tls',
  'timeout',
  'cut-off',
  'status-3xx',
  'status-4xx',
  'status-5xx',
  'too-large',
  'bad-playlist',
  'other',
] as const;

export type RequestError = (typeof REQUEST_ERRORS)[number];

/** The source of a measurement: the synthetic viewer, or the viewers' own pages. */
export type LevelSource = 'probe' | 'viewers';

export interface Measurement {
  /** The time from requesting the page to the first frame; null: unknown. */
  readonly firstPictureMs: number | null;
  /** A picture was due and did not come. */
  readonly isWithoutPicture: boolean;
  readonly playedMs: number;
  readonly stalledMs: number;
  readonly stalls: number;
  /** One for each second of playback. */
  readonly delaysMs: readonly number[];
  readonly requests: number;
  readonly errors: Readonly<Partial<Record<RequestError, number>>>;
}

export const NOTHING_MEASURED: Measurement = {
  firstPictureMs: null,
  isWithoutPicture: false,
  playedMs: 0,
  stalledMs: 0,
  stalls: 0,
  delaysMs: [],
  requests: 0,
  errors: {},
};
