/** The services behind the access control endpoints, wired. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Store } from '../../store/store.ts';
import type { ResolveHost } from '../../webhooks/outbound-call.ts';
import { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts';
import { DoorService } from '../component/door-service.ts';
import { LandingService } from '../component/elevator/landing-service.ts';
import {
  ALARM_VENDOR,
  BADGE_VENDOR_A,
  BADGE_VENDOR_B,
  type BadgeVendorABody,
} from '../integrations/accessControl/badge-vendor-a-type.ts';
import { type IntegrationBody, OrgIntegrations } from '../integrations/org-integration.ts';
import {
  WEBHOOK_INTEGRATIONS,
  type WebhookIntegrationBody,
} from '../integrations/webhooks/webhook-integration-type.ts';
import { AlertPauses } from '../policy/alert-pauses.ts';
import { WebhookNotifier } from '../webhook/webhook-notifier.ts';
import { WebhookRegistry } from '../webhook/webhook-registry.ts';
import { CredentialService } from './credential-service.ts';
import { EventEffects } from './event-effects.ts';
import { LockdownRules } from './lockdown/lockdown-rules.ts';
import { LockdownService } from './lockdown/lockdown-service.ts';

export interface AccessControlServices {
  readonly doors: DoorService;
  readonly elevatorLandings: LandingService;
  readonly lockdownRules: LockdownRules;
  readonly lockdown: LockdownService;
  readonly webhooks: WebhookRegistry;
  readonly webhookIntegrations: OrgIntegrations<WebhookIntegrationBody>;
  readonly badgeVendorA: OrgIntegrations<BadgeVendorABody>;
  readonly badgeVendorB: OrgIntegrations<IntegrationBody>;
  readonly alarmVendor: OrgIntegrations<IntegrationBody>;
  readonly alertPauses: AlertPauses;
  readonly credentials: CredentialService;
  /** What reported events set off. */
  readonly eventEffects: EventEffects;
  readonly deliveries: WebhookDeliveries;
  /** Takes up deliveries and events that were under way when the gateway last ended. */
  resume(): Promise<void>;
  /** Ends what runs because of events, then deliveries. */
  close(): Promise<void>;
}

export interface AccessControlServicesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether webhooks may go to hosts in private networks. */
  readonly allowPrivateNetworks: boolean;
  readonly resolveHost?: ResolveHost;
}

export function createAccessControlServices(options: AccessControlServicesOptions): AccessControlServices {
  const { store, clock, log, allowPrivateNetworks } = options;
  const doors = new DoorService({ store, clock });
  const landings = new LandingService({ store, clock });
  const webhooks = new WebhookRegistry(store, clock);
  const webhookIntegrations = new OrgIntegrations(store, WEBHOOK_INTEGRATIONS, clock);
  const deliveries = new WebhookDeliveries(options);
  const lockdownRules = new LockdownRules({ store, doors, landings, webhooks, clock, allowPrivateNetworks });
  const lockdown = new LockdownService({
    ...{ store, rules: lockdownRules, doors, landings, webhooks, deliveries, clock, log },
  });
  const webhookNotifier = new WebhookNotifier({
    ...{ registry: webhooks, integrations: webhookIntegrations, deliveries, log },
  });
  const eventEffects = new EventEffects({
    ...{ store, clock, log },
    effects: [(events) => lockdown.onEvents(events), (events) => webhookNotifier.onEvents(events)],
  });
  return {
    ...{ doors, elevatorLandings: landings, lockdownRules, lockdown, webhooks, webhookIntegrations },
    ...{ eventEffects, deliveries },
    badgeVendorA: new OrgIntegrations(store, BADGE_VENDOR_A, clock),
    badgeVendorB: new OrgIntegrations(store, BADGE_VENDOR_B, clock),
    alarmVendor: new OrgIntegrations(store, ALARM_VENDOR, clock),
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
