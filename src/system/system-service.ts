/** The gateway as its operator sees it: state, counters, configuration, log, support bundle. For operators only. */

import type { Caller } from '../accounts/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { FewAtOnce } from '../core/few-at-once.ts';
import type { Ruuid } from '../core/ruuid.ts';
import {
  type ServiceLevelCalls,
  ServiceLevelService,
  type ServiceLevelServiceOptions,
} from '../service-levels/service-level-service.ts';
import type { ConfigFindings, ReloadOutcome, SettingsQuery } from './config-view.ts';
import type { ConsoleSettingsStore } from './console-settings-store.ts';
import type { CounterColumns, HistoryQuery } from './counter-history.ts';
import { SYSTEM_ERRORS } from './errors.ts';
import { type KeyEnds, keyFindings } from './key-findings.ts';
import type { LogPage } from './log-memory.ts';
import { type LogTail, type LogTailQuery, readLogTail } from './log-tail.ts';
import type { MediaAddresses } from './media-addresses.ts';
import { admitOperator, type Operators } from './operator-rule.ts';
import { type PublicUrlCalls, PublicUrlService } from './public-url-service.ts';
import { type SettingsCalls, SettingsService } from './settings-service.ts';
import { supportBundle, wholeLog } from './support-bundle.ts';
import { inOrder, systemFindings } from './system-findings.ts';
import type { BundledStream, GatewayState, SystemFinding } from './system-state.ts';

/** Calls that other parts of the gateway answer. */
export interface SystemCalls extends PublicUrlCalls, ServiceLevelCalls, SettingsCalls {
  mediaAddresses(): MediaAddresses;
  state(): Promise<GatewayState>;
  counters(query: HistoryQuery): Promise<CounterColumns>;
  /** The streams of all cameras. */
  streams(): readonly BundledStream[];
  /** Checks this text; null: the configuration file as it is now. Fails like `settings`. */
  checkConfig(yaml: string | null): Promise<ConfigFindings>;
  /** Begins a restart with the configuration of this moment. Fails RESTART_UNAVAILABLE or CONFIG_RELOAD_REFUSED. */
  restart(): Promise<void>;
  logPage(afterId: number): Promise<LogPage>;
}

/** Records operations on the gateway: AuditTrail. */
export interface SystemAudit {
  gatewayOperated(
    orgUuid: Ruuid,
    action: 'GATEWAY_CONFIG_RELOAD' | 'GATEWAY_RESTART' | 'GATEWAY_SUPPORT_BUNDLE_CREATE',
  ): void;
}

export interface SystemServiceOptions {
  readonly calls: SystemCalls;
  readonly audit: SystemAudit;
  readonly operators: Operators;
  readonly consoleSettings: ConsoleSettingsStore;
  readonly serviceLevels: Pick<ServiceLevelServiceOptions, 'resources' | 'findShare'>;
  readonly keyEnds: (orgUuid: Ruuid) => Promise<KeyEnds>;
  readonly hasCamera: (orgUuid: Ruuid, cameraUuid: Ruuid) => Promise<boolean>;
  readonly clock: Clock;
}

/** The settings in a bundle are those outside lists. */
const SINGLE_SETTINGS: SettingsQuery = { list: null, offset: 0, limit: 0 };
const BUNDLES_WAITING = 2;

/** Every call fails SYSTEM_CALLER_REFUSED if the caller is not an operator. */
export class SystemService {
  readonly #options: SystemServiceOptions;
  readonly #bundles = new FewAtOnce(
    1,
    BUNDLES_WAITING,
    () => new GatewayError(SYSTEM_ERRORS.SUPPORT_BUNDLE_RUNNING),
  );

  /** Whether the public URL answers. */
  readonly publicUrl: PublicUrlService;
  /** Edits of the configuration. */
  readonly settings: SettingsService;
  /** Measurements of viewers' playback. */
  readonly serviceLevels: ServiceLevelService;

  constructor(options: SystemServiceOptions) {
    this.#options = options;
    this.publicUrl = new PublicUrlService((caller) => this.#callsFor(caller));
    this.settings = new SettingsService({
      callsFor: (caller) => this.#callsFor(caller),
      stored: options.consoleSettings,
      clock: options.clock,
    });
    this.serviceLevels = new ServiceLevelService({
      ...options.serviceLevels,
      callsFor: (caller) => this.#callsFor(caller),
      clock: options.clock,
    });
  }

  async state(caller: Caller): Promise<{ state: GatewayState; findings: readonly SystemFinding[] }> {
    const state = await this.#callsFor(caller).state();
    const { keyEnds, clock } = this.#options;
    // Without its database, the gateway still says what is wrong.
    const ends = await keyEnds(caller.actor.orgUuid).catch(() => null);
    const ofKeys = ends === null ? [] : keyFindings(ends, clock.epochMs());
    return { state, findings: inOrder([...systemFindings(state), ...ofKeys]) };
  }

  /** Counters of the gateway, or of a camera of the organization that the call acts for. Fails COUNTED_CAMERA_NOT_FOUND. */
  async counters(caller: Caller, query: HistoryQuery): Promise<CounterColumns> {
    const calls = this.#callsFor(caller);
    const camera = query.stream?.cameraUuid;
    if (camera !== undefined && !(await this.#options.hasCamera(caller.orgUuid, camera))) {
      throw new GatewayError(SYSTEM_ERRORS.COUNTED_CAMERA_NOT_FOUND);
    }
    return calls.counters(query);
  }

  /** Counters of a camera that the caller may see, which is checked before. */
  streamCounters(query: HistoryQuery & { readonly stream: object }): Promise<CounterColumns> {
    return this.#options.calls.counters(query);
  }

  async checkConfig(caller: Caller, yaml: string | null): Promise<ConfigFindings> {
    return this.#callsFor(caller).checkConfig(yaml);
  }

  async reload(caller: Caller): Promise<ReloadOutcome> {
    const outcome = await this.#callsFor(caller).reload();
    this.#options.audit.gatewayOperated(caller.actor.orgUuid, 'GATEWAY_CONFIG_RELOAD');
    return outcome;
  }

  /** Responds before the restart. Fails RESTART_UNAVAILABLE or CONFIG_RELOAD_REFUSED. */
  async restart(caller: Caller): Promise<void> {
    const calls = this.#callsFor(caller);
    await calls.restart();
    this.#options.audit.gatewayOperated(caller.actor.orgUuid, 'GATEWAY_RESTART');
  }

  /** Base URLs at which devices in the same network could open links: no secret, every page of the console has them. */
  mediaUrls(): readonly string[] {
    return this.#options.calls.mediaAddresses().addresses.map(({ url }) => url);
  }

  mediaAddresses(caller: Caller): MediaAddresses & { readonly publicUrl: string } {
    const calls = this.#callsFor(caller);
    return { ...calls.mediaAddresses(), publicUrl: calls.publicUrl.href };
  }

  async logTail(caller: Caller, query: LogTailQuery): Promise<LogTail> {
    const calls = this.#callsFor(caller);
    return readLogTail(query, (afterId) => calls.logPage(afterId));
  }

  /** A gzip file. One at a time. Fails SUPPORT_BUNDLE_…. */
  async bundle(caller: Caller): Promise<{ bytes: Buffer; createdAtEpochMs: number }> {
    const calls = this.#callsFor(caller);
    const bundle = await this.#bundles.run(async () => {
      const createdAtEpochMs = this.#options.clock.epochMs();
      const bytes = await supportBundle({
        createdAtEpochMs,
        state: await calls.state(),
        configuration: await calls.settings(SINGLE_SETTINGS),
        counters: await calls.counters({ stream: null, sinceEpochMs: null }),
        streams: calls.streams(),
        log: await wholeLog((afterId) => calls.logPage(afterId)),
      });
      return { bytes, createdAtEpochMs };
    });
    this.#options.audit.gatewayOperated(caller.actor.orgUuid, 'GATEWAY_SUPPORT_BUNDLE_CREATE');
    return bundle;
  }

  #callsFor(caller: Caller): SystemCalls {
    admitOperator(caller, this.#options.operators);
    return this.#options.calls;
  }
}
