/** The channels of a video recorder, on their way to becoming cameras. Pure, except for the calls that are made for each. */

import {
  createCamera,
  inspectOnvif,
  type Login,
  loginFields,
  type NewSource,
  type OnvifResponse,
  type ProbeReport,
  probeCamera,
  type UrlTemplate,
} from './camera-adding.ts';
import { filledTemplate, joined } from './camera-address.ts';
import { addressKey, type KnownCamera, readKnown } from './camera-csv.ts';
import { listCameras } from './camera-state.ts';
import { onceKeeper, patiently } from './in-turn.ts';
import { t } from './words.ts';

/** What a person says about the recorder. `vendor` empty: it is asked over ONVIF. */
export interface RecorderDraft {
  readonly address: string;
  readonly https: boolean;
  readonly vendor: string;
  /** How many channels it has; only for a vendor's template. */
  readonly count: string;
  readonly login: Login;
}

export const EMPTY_RECORDER: RecorderDraft = {
  address: '',
  https: false,
  vendor: '',
  count: '16',
  login: { username: '', password: '' },
};

export interface Channel {
  /** From 1. */
  readonly number: number;
  readonly name: string;
  /** Null: the device did not tell where its stream is. */
  readonly source: NewSource | null;
  /** As the device describes its streams, such as "1920 × 1080, H264". */
  readonly streams: string;
  readonly isChosen: boolean;
  readonly step: ChannelStep;
  readonly onceOf: ReturnType<typeof onceKeeper>;
}

export type ChannelStep =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'opening' }
  | { readonly kind: 'works'; readonly report: ProbeReport }
  | { readonly kind: 'failed'; readonly sentence: string; readonly isLogin: boolean }
  /** A camera of the organization has this stream. */
  | { readonly kind: 'known'; readonly cameraUuid: string }
  | { readonly kind: 'adding' }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'added'; readonly cameraUuid: string };

export interface Recorder {
  /** As it calls itself, or its address. */
  readonly name: string;
  /** An NVR that has cameras of this address already; empty: none. */
  readonly nvrUuid: string;
  readonly channels: readonly Channel[];
}

export const MAX_CHANNELS = 64;
const MAX_NAME_CHARS = 256;
const NOT_TOLD = t('The recorder did not say in time where this channel is.');
const NOT_TRIED = t(
  'Not tried: the recorder refused the login, and locks the account after several wrong ones.',
);

/** The reason why the recorder shows no channels. */
export class RecorderRefusal extends Error {
  readonly isLogin: boolean;

  constructor(sentence: string, isLogin: boolean) {
    super(sentence);
    this.isLogin = isLogin;
  }
}

/** Asks the recorder once. Fails with a RecorderRefusal or a CallError. */
export async function readRecorder(
  draft: RecorderDraft,
  templates: readonly UrlTemplate[],
  calledName: string | null,
  signal: AbortSignal,
): Promise<Recorder> {
  const template = templates.find(({ vendor }) => vendor === draft.vendor);
  if (template !== undefined) {
    const cameras = await readKnown(await listCameras(signal), signal);
    return withKnown(templateRecorder(draft, template), cameras);
  }
  const response = await patiently(signal, () =>
    inspectOnvif({ address: draft.address.trim(), https: draft.https }, draft.login, signal),
  );
  if (!response.found) {
    throw response.loginRefused
      ? new RecorderRefusal(
          'Wrong user name or password. Some recorders have a list of ONVIF users of its own.',
          true,
        )
      : new RecorderRefusal(response.failureSentence ?? 'Nothing answers at this address.', false);
  }
  if (response.channels.length === 0) throw new RecorderRefusal('It has no channel that streams.', false);
  return onvifRecorder(response, draft, calledName);
}

export function onvifRecorder(
  response: OnvifResponse,
  { address, login }: Pick<RecorderDraft, 'address' | 'login'>,
  calledName: string | null,
): Recorder {
  const model = [response.manufacturer, response.model].filter(Boolean).join(' ');
  const name = (calledName?.trim() || model || `NVR ${address.trim()}`).slice(0, MAX_NAME_CHARS);
  const isOne = response.channels.length === 1;
  const channels = response.channels.map((channel, index): Channel => {
    const number = index + 1;
    const profile = response.profiles.find(({ profileToken }) => profileToken === channel.profileToken);
    const ownName = channel.name ?? (isOne ? name : `${name} ${number}`);
    const common = { number, name: ownName.slice(0, MAX_NAME_CHARS), onceOf: onceKeeper() };
    if (profile === undefined) {
      const step = { kind: 'failed', sentence: NOT_TOLD, isLogin: false } as const;
      return { ...common, source: null, streams: '', isChosen: false, step };
    }
    const known = channel.cameraUuid;
    const step: ChannelStep =
      known === undefined ? { kind: 'waiting' } : { kind: 'known', cameraUuid: known };
    const source: NewSource = {
      mainUrl: profile.mainUrl,
      ...(profile.substreamUrl === undefined ? {} : { substreamUrl: profile.substreamUrl }),
      ...(response.onvifUrl === undefined ? {} : { onvifUrl: response.onvifUrl }),
      ...loginFields(login),
    };
    return { ...common, source, streams: streamsText(profile), isChosen: known === undefined, step };
  });
  return { name, nvrUuid: response.nvrUuid ?? '', channels };
}

/** By the addresses that recorders of this vendor usually have. */
export function templateRecorder(draft: RecorderDraft, template: UrlTemplate): Recorder {
  const { host, port } = hostAndPort(draft.address.trim());
  const count = Math.min(MAX_CHANNELS, Math.max(1, Math.floor(Number(draft.count)) || 1));
  const urlOf = (path: string, number: number) =>
    joined({
      scheme: template.scheme,
      host,
      port: port === '' ? String(template.port) : port,
      path: filledTemplate(path, number, ''),
    });
  const name = `${template.name.replace(/ \(.*\)$/, '')} ${host}`;
  const channels = Array.from({ length: count }, (_, index): Channel => {
    const number = index + 1;
    const { substreamPath } = template;
    return {
      number,
      name: `${name} ${number}`,
      source: {
        mainUrl: urlOf(template.mainPath, number),
        ...(substreamPath === undefined ? {} : { substreamUrl: urlOf(substreamPath, number) }),
        ...loginFields(draft.login),
      },
      streams: substreamPath === undefined ? t('Main stream') : t('Main stream and substream'),
      isChosen: true,
      step: { kind: 'waiting' },
      onceOf: onceKeeper(),
    };
  });
  return { name, nvrUuid: '', channels };
}

/** Channels whose main stream a camera has already. The others join the NVR of the first of those. */
export function withKnown(recorder: Recorder, cameras: readonly KnownCamera[]): Recorder {
  const byAddress = new Map(cameras.map((camera) => [addressKey(camera.source.mainUrl ?? ''), camera]));
  const knownOf = ({ source }: Channel) => byAddress.get(addressKey(source?.mainUrl ?? ''));
  const channels = recorder.channels.map((channel): Channel => {
    const known = knownOf(channel);
    return known === undefined
      ? channel
      : { ...channel, isChosen: false, step: { kind: 'known', cameraUuid: known.uuid } };
  });
  const nvrUuid = recorder.channels.map((channel) => knownOf(channel)?.nvrUuid).find(Boolean) ?? '';
  return { ...recorder, nvrUuid, channels };
}

function hostAndPort(address: string): { readonly host: string; readonly port: string } {
  const parts = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(address);
  return parts === null ? { host: address, port: '' } : { host: parts[1]!, port: parts[2] ?? '' };
}

function streamsText({ codec, width, height, substreamUrl }: OnvifResponse['profiles'][number]): string {
  const size = width === undefined ? '' : `${width} × ${height}`;
  return [
    size,
    codec?.toUpperCase() ?? '',
    substreamUrl === undefined ? t('no substream') : t('with substream'),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Channels that a recorder is asked for a picture of. */
export function isUnseen({ source, step }: Channel): boolean {
  return source !== null && step.kind === 'waiting';
}

/** Channels that adding takes: chosen, and neither there nor impossible. */
export function isAddable({ isChosen, source, step }: Channel): boolean {
  return (
    isChosen && source !== null && ['waiting', 'opening', 'works', 'failed', 'refused'].includes(step.kind)
  );
}

/** The first frame of its streams. Fails with a CallError. */
export async function openChannel(source: NewSource, signal: AbortSignal): Promise<ChannelStep> {
  const report = await patiently(signal, () => probeCamera({ ...source, isBrief: true }, signal));
  const { works, errorReason, errorSentence, errorAdvice } = report.main;
  if (works) return { kind: 'works', report };
  const sentence = [errorSentence, errorAdvice].filter(Boolean).join(' ');
  return {
    kind: 'failed',
    sentence: sentence || t('It does not play.'),
    isLogin: errorReason === 'wrong-password',
  };
}

/** After the first channel refused the login: the others are not tried with it. */
export function withoutLogin(channels: readonly Channel[]): readonly Channel[] {
  return channels.map((channel) =>
    isUnseen(channel)
      ? { ...channel, isChosen: false, step: { kind: 'failed', sentence: NOT_TRIED, isLogin: true } }
      : channel,
  );
}

/** Resolves with its UUID. Fails with a CallError. */
export function addChannel(
  { name, source, onceOf }: Channel,
  where: { readonly locationUuid: string; readonly nvrUuid: string },
  signal: AbortSignal,
): Promise<string> {
  const place = { ...where, name };
  const once = onceOf({ source, place });
  return patiently(signal, () => createCamera(source!, place, once, signal));
}
