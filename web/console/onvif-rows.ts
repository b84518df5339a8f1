/** Cameras that a scan found, on their way to being added. Pure, except for the calls that are made for each. */

import {
  createCamera,
  type FoundCamera,
  inspectOnvif,
  type Login,
  loginFields,
  type NewSource,
  type OnvifProfile,
  type OnvifResponse,
  type ProbeReport,
  probeCamera,
} from './camera-adding.ts';
import { onceKeeper, patiently } from './in-turn.ts';
import { t } from './words.ts';

export interface OnvifRow {
  readonly found: FoundCamera;
  readonly isChosen: boolean;
  /** As someone wrote it; null: as the camera calls itself. */
  readonly name: string | null;
  readonly step: OnvifStep;
}

export type OnvifStep =
  | { readonly kind: 'found' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'failed'; readonly sentence: string; readonly isLogin: boolean }
  | ({ readonly kind: 'ready' } & Checked)
  | ({ readonly kind: 'adding' } & Checked)
  | { readonly kind: 'added'; readonly cameraUuid: string };

/** A camera that works, with the login that it accepted. */
export interface Checked {
  readonly response: OnvifResponse;
  readonly profile: OnvifProfile;
  readonly login: Login;
  readonly report: ProbeReport;
  /** Why adding it failed the last time; null: it was not tried. */
  readonly refusal: string | null;
  readonly onceOf: ReturnType<typeof onceKeeper>;
}

/** More than any scan finds, so that addresses that are added by hand have a bound. */
export const MAX_ROWS = 500;
const MAX_NAME_CHARS = 256;

/**
 * A camera that is found again keeps its state. No camera is chosen automatically: any host that answers
 * would get the login.
 */
export function mergedRows(rows: readonly OnvifRow[], found: readonly FoundCamera[]): readonly OnvifRow[] {
  const known = new Map(rows.map((row) => [row.found.address, row]));
  const fresh = found.map((camera): OnvifRow => known.get(camera.address) ?? newRow(camera, false));
  const addresses = new Set(found.map(({ address }) => address));
  const others = rows.filter(
    ({ found: { address }, step }) => step.kind !== 'found' && !addresses.has(address),
  );
  return [...fresh, ...others].slice(0, MAX_ROWS);
}

export function newRow(found: FoundCamera, isChosen: boolean): OnvifRow {
  return { found, isChosen, name: null, step: { kind: 'found' } };
}

export function rowName({ found, name, step }: OnvifRow): string {
  if (name !== null) return name;
  const response = step.kind === 'ready' || step.kind === 'adding' ? step.response : null;
  const model = [response?.manufacturer, response?.model]
    .filter((part) => part != null && part !== '')
    .join(' ');
  const own = found.name?.trim() ?? '';
  return (own !== '' ? own : model !== '' ? model : t('Camera {address}', { address: found.address })).slice(
    0,
    MAX_NAME_CHARS,
  );
}

/** All that are not there yet, or none. */
export function choseAll(rows: readonly OnvifRow[], isChosen: boolean): readonly OnvifRow[] {
  return rows.map((row) => ({ ...row, isChosen: isChosen && !row.found.known && row.step.kind !== 'added' }));
}

/** Whether the button that checks is for it. */
export function isCheckable({ isChosen, step }: OnvifRow): boolean {
  return isChosen && (step.kind === 'found' || step.kind === 'failed');
}

export function isAddable({ isChosen, step }: OnvifRow): boolean {
  return isChosen && step.kind === 'ready';
}

/** Asks a camera for its streams and tries them. Fails with a CallError. */
export async function checkCamera(found: FoundCamera, login: Login, signal: AbortSignal): Promise<OnvifStep> {
  const response = await patiently(signal, () => inspectOnvif(found, login, signal));
  const [profile] = response.profiles;
  if (!response.found) {
    const sentence = response.loginRefused
      ? t('Wrong user name or password for ONVIF. Some cameras have a list of ONVIF users of its own.')
      : (response.failureSentence ?? t('It does not answer.'));
    return { kind: 'failed', sentence, isLogin: response.loginRefused };
  }
  if (profile === undefined) return { kind: 'failed', sentence: t('It has no stream.'), isLogin: false };
  return tryProfile({ response, profile, login }, signal);
}

/** Fails with a CallError. */
export async function tryProfile(
  camera: Pick<Checked, 'response' | 'profile' | 'login'>,
  signal: AbortSignal,
): Promise<OnvifStep> {
  const report = await patiently(signal, () => probeCamera(sourceOfOnvif(camera), signal));
  const { works, errorReason, errorSentence, errorAdvice } = report.main;
  if (works) return { kind: 'ready', ...camera, report, refusal: null, onceOf: onceKeeper() };
  const sentence = [errorSentence, errorAdvice].filter(Boolean).join(' ');
  return { kind: 'failed', sentence, isLogin: errorReason === 'wrong-password' };
}

export function sourceOfOnvif({
  response,
  profile,
  login,
}: Pick<Checked, 'response' | 'profile' | 'login'>): NewSource {
  return {
    mainUrl: profile.mainUrl,
    ...(profile.substreamUrl == null ? {} : { substreamUrl: profile.substreamUrl }),
    ...(response.onvifUrl == null ? {} : { onvifUrl: response.onvifUrl }),
    ...loginFields(login),
  };
}

/** `more`: of all that are added together. Resolves with its UUID. Fails with a CallError. */
export function addChecked(
  row: OnvifRow,
  checked: Checked,
  more: { readonly locationUuid: string; readonly nvrUuid: string } & Pick<NewSource, 'audio'>,
  signal: AbortSignal,
): Promise<string> {
  const { audio, ...place } = more;
  const source = { ...sourceOfOnvif(checked), audio };
  const where = { ...place, name: rowName(row) };
  const once = checked.onceOf({ source, where });
  return patiently(signal, () => createCamera(source, where, once, signal));
}

export function profileText({ profileToken, codec, width, height }: OnvifProfile): string {
  const size = width == null ? '' : `${width} × ${height}`;
  return [profileToken, codec?.toUpperCase() ?? '', size].filter((part) => part !== '').join(', ');
}
