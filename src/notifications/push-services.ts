/** Wires up notifications by Web Push. */

import { NotificationSettingsService } from '../accounts/notification-settings.ts';
import { PushSubscriptions } from '../accounts/push-subscriptions.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { EventEffect } from '../events/event-effects.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { outboundCaller, type PostOutbound } from '../webhooks/outbound-call.ts';
import { CALL_TIMEOUT_MS } from '../webhooks/webhook-deliveries.ts';
import { PushNotifier } from './push-notifier.ts';
import { PushSender } from './push-sender.ts';

export interface PushServicesOptions {
  readonly store: Store;
  readonly views: Pick<ScopeViews, 'viewOf'>;
  readonly clock: Clock;
  readonly log: Log;
  /** As for webhooks: whether push services can be in private networks. */
  readonly allowPrivateNetworks: boolean;
  /** Where people open the console. */
  readonly publicApiUrl: string;
  /** Calls push services. Default: HTTPS. */
  readonly post?: PostOutbound;
}

export interface PushServices {
  readonly onEvents: EventEffect;
  /** Resolves when nothing runs or waits for its turn. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function createPushServices(options: PushServicesOptions): PushServices {
  const { store, views, clock, log, allowPrivateNetworks, publicApiUrl } = options;
  const subscriptions = new PushSubscriptions({ store, clock });
  const sender = new PushSender({
    subscriptions,
    clock,
    log,
    subject: subjectOf(publicApiUrl),
    post: options.post ?? outboundCaller({ clock, allowPrivateNetworks, timeoutMs: CALL_TIMEOUT_MS }),
  });
  const settings = new NotificationSettingsService({ store, clock });
  const notifier = new PushNotifier({ store, views, subscriptions, settings, sender, clock, log });
  return {
    onEvents: (events) => notifier.onEvents(events),
    idle: () => sender.idle(),
    async close() {
      notifier.close();
      await sender.close();
    },
  };
}

/** RFC 8292 §2.1 allows https and mailto. Without https, the console is on this machine, and only its name is known. */
function subjectOf(publicApiUrl: string): string {
  const { protocol, hostname, origin } = new URL(publicApiUrl);
  return protocol === 'https:' ? origin : `mailto:sluice@${hostname}`;
}
