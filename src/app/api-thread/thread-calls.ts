/**
 * The calls between the gateway's thread, which carries the media, and the API's thread. Everything here is copied from
 * one isolate to the other: plain values only.
 */

import type { MapTiles } from '../../accounts/console-services.ts';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import type { ConnectionLimits } from '../../connections/connection-table.ts';
import type { HttpListenerOptions } from '../../connections/http-listener.ts';
import type { HostPort } from '../../core/host-port.ts';
import type { MetricsText, Readiness } from '../../core/readiness.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { WireError } from '../../core/wire-error.ts';
import type { DecodedKeyFrame } from '../../devices/camera-examiner.ts';
import type { CameraNotice, CameraStart, ProbedReport } from '../../devices/camera-notices.ts';
import type { StillRequest, TakenStill } from '../../devices/camera-stills.ts';
import type { PackedStreamSamples } from '../../devices/stream-samples.ts';
import type { SecurityText } from '../../http/security-text.ts';
import type { DiskRoomOptions } from '../../ingest/disk-room.ts';
import type { MailSettings } from '../../mail/mail-settings.ts';
import type { OidcSettings } from '../../oidc/oidc-settings.ts';
import type { ReadJob } from '../../playback/read-protocol.ts';
import type { SeenEvent } from '../../policies/recorded-events.ts';
import type { ViewerChange } from '../../realtime/change-follower.ts';
import type { RecorderFootage } from '../../recorders/recorder-footage.ts';
import type { StorageSettings } from '../../recording/open-storage.ts';
import type { PackedFile } from '../../recording/recording-finder.ts';
import type { RuleInEffect } from '../../recording/recording-settings.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import type { LevelColumns, ServiceLevelState } from '../../service-levels/level-view.ts';
import type { LevelSource } from '../../service-levels/measurement.ts';
import type { AccessChange } from '../../sharing/access-rules.ts';
import type { DeviceChange } from '../../sharing/device-directory.ts';
import type { PreviewRequest, PreviewResponse } from '../../sharing/preview-request.ts';
import type { SharedFileKind } from '../../sharing/shared-group.ts';
import type { ViewerCalls } from '../../sharing/viewer-service.ts';
import type { AddressReach } from '../../sources/network/camera-address.ts';
import type { EndOutcome, EndRequest } from '../../store/access-end.ts';
import type { AuditPrincipal } from '../../store/audit.ts';
import type { ChangeEvent, EntityKind } from '../../store/store.ts';
import type { ProbeVerdict } from '../../stream/camera-connection.ts';
import type { KeyFrame } from '../../stream/media/live-media.ts';
import type { ReloadOutcome } from '../../system/config-view.ts';
import type { SettingsState } from '../../system/console-settings.ts';
import type { CounterColumns, HistoryQuery } from '../../system/counter-history.ts';
import type { LogPage } from '../../system/log-memory.ts';
import type { MediaListener } from '../../system/media-addresses.ts';
import type { OpenedCheck, PublicUrlVisit } from '../../system/public-url-visits.ts';
import type { GatewayState } from '../../system/system-state.ts';
import type { ThreadStore } from '../config/configured-store.ts';
import type { ConfigTexts } from '../config/describe-config.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import type { LogFormat } from '../process/logging.ts';

/** The data that the thread starts with. It holds secrets; only the thread gets it. */
export interface ApiThreadData
  extends Pick<Config, 'trustProxy' | 'cors' | 'api' | 'webhooks' | 'retention'> {
  readonly listen: HostPort;
  readonly listener: Pick<HttpListenerOptions, 'isHttp2Plain' | 'hasProxyHeader'>;
  readonly store: ThreadStore;
  readonly fieldKey: Uint8Array;
  readonly shareTokenKey: Uint8Array;
  readonly ssoKey: Uint8Array;
  readonly knownBrowserKey: Uint8Array;
  /** null: no provider is configured. */
  readonly oidc: OidcSettings | null;
  /** null: no mail is sent. */
  readonly mail: MailSettings | null;
  readonly mailLinkKey: Uint8Array;
  /** How long viewers can use a sign-in at the provider. */
  /** Whether organizations prove that domains are their own. */
  readonly domainProof: 'dns' | 'none';
  readonly viewerProofMs: number;
  /** Null: counts and rate limits are in memory. */
  readonly redisUrl: string | null;
  /** Null: this gateway is not in a cluster. */
  readonly clusterName: string | null;
  readonly publicApiUrl: string | null;
  /** Base URLs of the media listener for callers in the same network. */
  readonly lanMediaUrls: readonly string[];
  /** Null: anyone may read the metrics. */
  readonly metricsToken: string | null;
  readonly securityText: SecurityText | null;
  /** null: the console has no street map. */
  readonly mapTiles: MapTiles | null;
  /** Where cameras named by callers may be. */
  readonly undeclaredReach: AddressReach;
  /** The configured networks in CIDR notation; empty: anywhere. */
  readonly cameraNetworks: readonly string[];
  /** Where scans for ONVIF cameras send their probe; empty: to the group of WS-Discovery. */
  readonly onvifProbes: Config['sources']['onvifProbes'];
  readonly recordingStorage: StorageSettings;
  /** The keys that sign recordings and cases are derived from it. */
  readonly evidenceKey: Uint8Array;
  readonly timeStampUrl: Config['evidence']['timeStampUrl'];
  readonly clips: Config['clips'];
  /** Time that clips of alerts show around them. */
  readonly alertRolls: { readonly preRollMs: number; readonly postRollMs: number };
  /** Whether files of clips are encrypted. */
  readonly isEncrypting: boolean;
  /** Room that clips leave on the disk. */
  readonly minFreeBytes: number;
  /** The disk that the database fills, and room that reports leave on it; null: that of a server. */
  readonly storeDisk: Pick<DiskRoomOptions, 'folder' | 'minFreeBytes'> | null;
  /** The gateway's own variables, for reading configurations. They hold secrets. */
  readonly env: Environment;
  readonly settingsState: SettingsState;
  readonly log: { readonly level: Config['log']['level']; readonly format: LogFormat };
}

/** The state when the API starts. */
export interface ApiStart extends CameraStart {
  /** An API thread of this gateway has run before, and recorded what cameras did. */
  readonly isRestart: boolean;
  readonly mediaUrl: string;
  /** Base of the RTSP listener; null: there is none. */
  readonly rtspUrl: string | null;
  readonly mediaListener: MediaListener;
  /** Its share of the process's descriptors. */
  readonly connections: ConnectionLimits;
  /** null: no TLS. */
  readonly certificate: ListenerCertificate | null;
  /** Keys that the store has as working, and that have ended (UnstoredEnds). */
  readonly endedCredentials: readonly string[];
}

/** An event in the gateway's thread. */
export type Notice =
  /** It committed a change, or another process did. */
  | { readonly kind: 'change'; readonly change: ChangeEvent }
  /** All keys that have ended although the store has them as working. */
  | { readonly kind: 'endedCredentials'; readonly names: readonly string[] }
  /** Changes of other processes were missed. */
  | { readonly kind: 'missed' }
  | CameraNotice
  /** Whether this node subscribes to the events of these cameras. */
  | { readonly kind: 'placed'; readonly cameraUuids: readonly Ruuid[]; readonly isHere: boolean }
  /** The disk is nearly full, and this organization's clips take most of it. */
  | { readonly kind: 'clipsTooMany'; readonly orgUuid: Ruuid; readonly byteLength: number }
  | { readonly kind: 'viewer'; readonly viewer: ViewerChange }
  /** More of these than the thread could take: some were dropped. */
  | { readonly kind: 'viewersMissed' };

/** Calls that the gateway's thread makes to the API's thread. */
export interface ApiThreadCalls {
  /** Resolves when the API listens. Fails with CLI_LISTEN_FAILED or a code of STORE_ERRORS. */
  start(now: ApiStart): Promise<ApiAddress>;
  /** In the order in which they happened. */
  happened(notices: readonly Notice[]): Promise<void>;
  /** As in ItemProgress, of what this thread makes. */
  itemProgress(kind: SharedFileKind, uuids: readonly Ruuid[]): Promise<readonly (number | null)[]>;
  setLogLevel(level: Config['log']['level']): Promise<void>;
  /** null: no more mail is sent. */
  setMail(settings: MailSettings | null): Promise<void>;
  /** Applies to new connections. */
  setCertificate(certificate: ListenerCertificate): Promise<void>;
  /** Its listener will close in a moment: connections end with their next response. */
  leave(): Promise<void>;
  /** Resolves when requests are finished and everything is written. */
  close(): Promise<void>;
}

export interface ApiAddress {
  /** The configured public URL, or the listener's. */
  readonly apiUrl: string;
  /** The listener's own address: where the next thread must listen if this one ends. */
  readonly port: number;
}

/** Calls that the API's thread makes to the gateway's thread. */
export interface GatewayCalls extends ViewerCalls {
  /** As in AccessRules, CredentialRules, and CameraRules. */
  applied(change: AccessChange | DeviceChange): Promise<void>;
  /** As in UnstoredEnds. */
  storeEnds(uuid: Ruuid): Promise<void>;
  endAccess(orgUuid: Ruuid, request: EndRequest, principal: AuditPrincipal): Promise<EndOutcome>;
  /** Whether finished clips cannot be uploaded to S3 now. */
  clipUploadsChanged(isFailing: boolean): void;
  /** As in AuditReading, for what this thread records. */
  auditSettled(): Promise<void>;
  /**
   * The API opened a camera briefly. Resolves with the current report about the camera; null: the gateway does not run it.
   */
  cameraProbed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null>;
  /** As OnPublishKey. */
  publishKeyChanged(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<void>;
  /** As ReadStreamSamples. */
  streamSamples(): Promise<PackedStreamSamples>;
  /** As DevicePreviewsOptions. */
  openPreview(request: PreviewRequest): Promise<PreviewResponse>;
  /** As DecodeKeyFrame. */
  decodeKeyFrame(orgUuid: Ruuid, frame: KeyFrame, maxWidthPx: number): Promise<DecodedKeyFrame | null>;
  /** As TakeStill. */
  takeStill(cameraUuid: Ruuid, request: StillRequest): Promise<TakenStill>;
  /** As ReadRuleInEffect. */
  recordingRule(cameraUuid: Ruuid): Promise<RuleInEffect>;
  /** One step of copying what the camera's video recorder has of a range. `looker`: the same for each step. */
  copyFromRecorder(
    cameraUuid: Ruuid,
    fromMs: number,
    toMs: number,
    looker: string,
  ): Promise<{ readonly isGrowing: boolean; readonly error: WireError | null }>;
  /** As ReadRecorderFootage. */
  recorderFootage(
    cameraUuids: readonly Ruuid[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly RecorderFootage[]>;
  /** Recording files of which the store has no row. */
  unlistedRecordings(stream: RecordedStream): Promise<readonly PackedFile[]>;
  /** Bytes of a file that is on another node's disk; null: there are no such files. */
  readElsewhere(job: ReadJob): Promise<Uint8Array | null>;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricsText>;
  systemState(): Promise<GatewayState>;
  /** As PublicUrlVisits. */
  openPublicUrlCheck(): OpenedCheck;
  publicUrlVisits(checkId: string): readonly PublicUrlVisit[] | null;
  counterHistory(query: HistoryQuery): CounterColumns;
  /** Levels of this organization's shares, and of all shares together. */
  serviceLevels(orgUuid: Ruuid): ServiceLevelState;
  /** null: of all shares. */
  serviceHistory(shareUuid: Ruuid | null, source: LevelSource): LevelColumns;
  /** The API committed that other shares are chosen for the synthetic viewer. */
  serviceProbesChanged(): Promise<void>;
  /** Source of the configuration in effect. Has secrets. */
  configTexts(): ConfigTexts;
  /** As RunningConfig.reload, on behalf of `principal`. */
  reloadConfig(principal: AuditPrincipal): Promise<ReloadOutcome>;
  /** As SystemCalls. */
  restart(): Promise<void>;
  /** As LogMemory.page, of both threads. */
  logPage(afterId: number): LogPage;
  /** Lines that this thread wrote to the log, in order. */
  logged(lines: readonly string[]): void;
  /** Events were reported: cameras that record events write the video around them. */
  eventsSeen(seen: readonly SeenEvent[]): void;
  /** The API committed changes of FOLLOWED_KINDS, in this order. */
  changed(changes: readonly ChangeEvent[]): void;
}

/** The kinds that the media follow. */
export const FOLLOWED_KINDS: ReadonlySet<EntityKind> = new Set([
  'camera',
  'nvr',
  'location',
  'share',
  'schedule',
  'videoWall',
  'wallShare',
  'sharedClipGroup',
  'sharedTimelapseGroup',
  'emergency',
  'apiKey',
  'person',
  'consoleSession',
  'oauthGrant',
  'oauthApplication',
  'federatedSession',
  'organization',
  'cameraConfig',
  'manualRecording',
  'oidcLogout',
]);
