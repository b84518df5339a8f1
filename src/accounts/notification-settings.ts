/** How users want to be notified. `src/notifications` notifies in the console, by Web Push, and by mail; the rest is for other services. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { e164 } from '../core/phone-number.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { isTimeZone } from '../core/time-zone.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  type RoomForMore,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

/** What the user is notified about in a time frame. */
export interface NotificationRow {
  readonly activities?: readonly string[];
  readonly diagnostics?: readonly string[];
  readonly devices?: readonly string[];
  readonly locations?: readonly Ruuid[];
  readonly locationOnly?: readonly Ruuid[];
  readonly promptUuids?: readonly Ruuid[];
}

/** When the user is notified about what. Fields that are not named here are stored as sent. */
export interface NotificationTimeFrame {
  /** MONDAY to SUNDAY. */
  readonly days?: readonly string[];
  /** BROWSER, APP, and those of other services. */
  readonly mediums?: readonly string[];
  readonly interval?: {
    readonly dayOfWeek?: number;
    readonly minuteOfDayStartInclusive?: number;
    readonly minuteOfDayStopExclusive?: number;
  };
  readonly rows?: readonly NotificationRow[];
}

export interface NotificationSettings<TimeFrame extends NotificationTimeFrame = NotificationTimeFrame> {
  /** In E.164 form; the input can have separators between the digits. */
  readonly smsPhoneNumbers?: readonly string[];
  readonly summaryEmailEnabled?: boolean;
  readonly timeFrames?: readonly TimeFrame[];
  /** In which the time frames count, an IANA name. Absent: the time zone of the alert's location. */
  readonly timeZone?: string;
  /** Of mails. Absent: English. */
  readonly language?: string;
}

export type NotificationSettingName = keyof NotificationSettings;

const SETTING_NAMES = [
  'smsPhoneNumbers',
  'summaryEmailEnabled',
  'timeFrames',
  'timeZone',
  'language',
] as const satisfies readonly NotificationSettingName[];

/** By a setting's name: true applies it, or clears it if it is absent; false leaves it as it is. */
export type AppliedSettings = (name: NotificationSettingName) => boolean | undefined;

/** The parent is the user, with whom they are removed. */
const NOTIFICATION_SETTINGS: ResourceKind<NotificationSettings> = resourceKind('notificationSettings');

const ROOM: RoomForMore = {
  atMost: LIMITS.notificationSettings.perOrganization,
  within: 'organization',
  full: () => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_NOTIFICATION_SETTINGS),
};

export interface NotificationSettingsOptions {
  readonly store: Pick<Store, 'resources' | 'locations'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class NotificationSettingsService {
  readonly #store: NotificationSettingsOptions['store'];
  readonly #clock: Pick<Clock, 'epochMs'>;
  readonly #settings: ResourceRepository<NotificationSettings>;

  constructor({ store, clock }: NotificationSettingsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#settings = store.resources.of(NOTIFICATION_SETTINGS);
  }

  /** Empty for a user who never set anything. */
  async find(orgUuid: Ruuid, userUuid: Ruuid): Promise<NotificationSettings> {
    return normalized((await this.#settings.find(orgUuid, settingsUuid(orgUuid, userUuid)))?.body ?? {});
  }

  /** Those of everyone who ever set anything, by user. */
  async ofOrganization(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, NotificationSettings>> {
    const all = await this.#settings.list(orgUuid);
    return new Map(all.map(({ parentUuid, body }) => [parentUuid!, body]));
  }

  /**
   * Lists are replaced as a whole. A setting that `isApplied` does not mention applies if it is present. Fails PHONE_NUMBER_INVALID,
   * NOTIFICATION_TIME_ZONE_UNKNOWN, NOTIFICATION_INTERVAL_EMPTY, NOTIFICATION_LOCATION_NOT_FOUND; the context names the value. Also TOO_MANY_NOTIFICATION_SETTINGS: the
   * gateway need not know the user.
   */
  async update(
    orgUuid: Ruuid,
    userUuid: Ruuid,
    given: NotificationSettings,
    isApplied: AppliedSettings = () => undefined,
  ): Promise<void> {
    await this.#check(orgUuid, given);
    const uuid = settingsUuid(orgUuid, userUuid);
    const decide = (known: Resource<NotificationSettings> | null): Resource<NotificationSettings> => {
      const nowMs = this.#clock.epochMs();
      return {
        uuid,
        orgUuid,
        name: '',
        parentUuid: userUuid,
        secret: null,
        body: applied(known?.body ?? {}, normalized(given), isApplied),
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    await this.#settings.change(orgUuid, uuid, decide, ROOM);
  }

  async #check(
    orgUuid: Ruuid,
    { smsPhoneNumbers = [], timeFrames = [], timeZone }: NotificationSettings,
  ): Promise<void> {
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      throw new GatewayError(ACCOUNT_ERRORS.NOTIFICATION_TIME_ZONE_UNKNOWN);
    }
    const index = smsPhoneNumbers.findIndex((number) => e164(number) === null);
    if (index >= 0) throw new GatewayError(ACCOUNT_ERRORS.PHONE_NUMBER_INVALID, { index });
    const known = new Set((await this.#store.locations.list(orgUuid)).map(({ uuid }) => uuid));
    for (const [frame, { interval = {}, rows = [] }] of timeFrames.entries()) {
      const { minuteOfDayStartInclusive: start, minuteOfDayStopExclusive: stop } = interval;
      if (start !== undefined && stop !== undefined && stop <= start) {
        throw new GatewayError(ACCOUNT_ERRORS.NOTIFICATION_INTERVAL_EMPTY, { frame });
      }
      for (const [row, { locations = [], locationOnly = [] }] of rows.entries()) {
        for (const [list, uuids] of Object.entries({ locations, locationOnly })) {
          const stranger = uuids.findIndex((uuid) => !known.has(uuid));
          if (stranger < 0) continue;
          const context = { frame, row, list, index: stranger };
          throw new GatewayError(ACCOUNT_ERRORS.NOTIFICATION_LOCATION_NOT_FOUND, context);
        }
      }
    }
  }
}

/** Numbers that were stored before country codes were checked stay as they are. */
function normalized(settings: NotificationSettings): NotificationSettings {
  const { smsPhoneNumbers } = settings;
  if (smsPhoneNumbers === undefined) return settings;
  return { ...settings, smsPhoneNumbers: smsPhoneNumbers.map((number) => e164(number) ?? number) };
}

/** A user has one set per organization. */
function settingsUuid(orgUuid: Ruuid, userUuid: Ruuid): Ruuid {
  return deriveRuuid('notification settings', `${orgUuid}\0${userUuid}`);
}

function applied(
  known: NotificationSettings,
  given: NotificationSettings,
  isApplied: AppliedSettings,
): NotificationSettings {
  const settings: Record<string, unknown> = { ...known };
  for (const name of SETTING_NAMES) {
    if (!(isApplied(name) ?? given[name] !== undefined)) continue;
    if (given[name] === undefined) delete settings[name];
    else settings[name] = given[name];
  }
  return settings;
}
