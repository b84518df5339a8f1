/** Wires up access control, the integrations with other systems, and what reported events trigger in them. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { toldEvents } from '../../events/camera-pauses.ts';
import { type EventEffect, EventEffects } from '../../events/event-effects.ts';
import { DeliveryLog } from '../../integrations/delivery-log.ts';
import { ALARM_VENDOR, BADGE_VENDOR_B, SwitchedIntegration } from '../../integrations/org-integrations.ts';
import { WebhookIntegration } from '../../integrations/webhook-integration.ts';
import { WebhookTest } from '../../integrations/webhook-test.ts';
import { pausesOf } from '../../policies/alert-policy-pause.ts';
import type { Store } from '../../store/store.ts';
import type { PostOutbound, ResolveHost } from '../../webhooks/outbound-call.ts';
import { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts';
import { WebhookNotifier } from '../../webhooks/webhook-notifier.ts';
import { WebhookRegistry } from '../../webhooks/webhook-registry.ts';
import { CredentialService } from '../access-control/credential-service.ts';
import { DoorService } from '../access-control/door-service.ts';
import { LandingService } from '../access-control/landing-service.ts';
import { LockdownRules } from '../access-control/lockdown/lockdown-rules.ts';
import { LockdownService } from '../access-control/lockdown/lockdown-service.ts';
import { AlertPauses } from '../policies/alert-pauses.ts';
import { BadgeVendorA } from './badge-vendor-a.ts';

export interface AccessControlServices {
  readonly doors: DoorService;
  readonly elevatorLandings: LandingService;
  readonly lockdownRules: LockdownRules;
  readonly lockdown: LockdownService;
  readonly webhooks: WebhookRegistry;
  readonly webhookIntegration: WebhookIntegration;
  readonly badgeVendorA: BadgeVendorA;
  readonly badgeVendorB: SwitchedIntegration;
  readonly alarmVendor: SwitchedIntegration;
  readonly alertPauses: AlertPauses;
  readonly credentials: CredentialService;
  /** Effects of reported events. */
  readonly eventEffects: EventEffects;
  readonly deliveries: WebhookDeliveries;
  readonly deliveryLog: DeliveryLog;
  readonly webhookTest: WebhookTest;
  /** Picks up deliveries and events that were in progress when the gateway last ended. */
  resume(): Promise<void>;
  /** Ends what events started, then deliveries. */
  close(): Promise<void>;
}

export interface AccessControlServicesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether webhooks can call hosts in private networks. */
  readonly allowPrivateNetworks: boolean;
  /** The organization of those who run the gateway. */
  readonly ownOrgUuid: Ruuid;
  readonly resolveHost?: ResolveHost;
  /** Sends webhooks. Default: HTTP. */
  readonly post?: PostOutbound;
  /** Further effects of events, after doors and webhooks. Default: none. */
  readonly otherEffects?: (deliveries: WebhookDeliveries) => readonly EventEffect[];
}

export function createAccessControlServices(options: AccessControlServicesOptions): AccessControlServices {
  const { store, clock, log, allowPrivateNetworks, otherEffects } = options;
  const doors = new DoorService({ store, clock });
  const landings = new LandingService({ store, clock });
  const webhooks = new WebhookRegistry(store, clock);
  const webhookIntegration = new WebhookIntegration({ store, registry: webhooks, clock });
  const deliveries = new WebhookDeliveries(options);
  const lockdownRules = new LockdownRules({ store, doors, landings, webhooks, clock, allowPrivateNetworks });
  const lockdown = new LockdownService({
    store,
    rules: lockdownRules,
    doors,
    landings,
    webhooks,
    deliveries,
    clock,
    log,
    alertPausesOf: (orgUuid) => pausesOf(store, orgUuid),
  });
  const webhookNotifier = new WebhookNotifier({
    registry: webhooks,
    deliveries,
    log,
    isEnabled: (orgUuid) => webhookIntegration.isEnabled(orgUuid),
  });
  const eventEffects = new EventEffects({
    store,
    clock,
    log,
    effects: [
      (events, isTurnOver) => lockdown.onEvents(events, isTurnOver),
      async (events) => webhookNotifier.onEvents(await toldEvents(store, events)),
      ...(otherEffects?.(deliveries) ?? []),
    ],
  });
  return {
    doors,
    elevatorLandings: landings,
    lockdownRules,
    lockdown,
    webhooks,
    webhookIntegration,
    eventEffects,
    deliveries,
    webhookTest: new WebhookTest({
      registry: webhooks,
      deliveries,
      ownOrgUuid: options.ownOrgUuid,
    }),
    deliveryLog: new DeliveryLog({ deliveries, lockdownRules, webhooks }),
    badgeVendorA: new BadgeVendorA({ store, clock }),
    badgeVendorB: new SwitchedIntegration(store, BADGE_VENDOR_B, clock),
    alarmVendor: new SwitchedIntegration(store, ALARM_VENDOR, clock),
    alertPauses: new AlertPauses({ store, doors, landings, clock }),
    credentials: new CredentialService({ store, clock }),
    async resume() {
      await deliveries.resume();
      eventEffects.wake();
    },
    async close() {
      await eventEffects.close();
      await deliveries.close();
    },
  };
}
