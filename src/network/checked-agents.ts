/**
 * Connections to hosts that someone else names. Addresses are judged when a connection is made, so a name that resolves
 * differently the second time (DNS rebinding) gains nothing, and a redirect leads nowhere else. Certificates are judged
 * before the first byte is sent.
 */

import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import net, { type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { type TLSSocket } from 'node:tls';

/** The rules for connections to one host and port. */
export interface ConnectionRule {
  /** Finds the allowed addresses of a name (checked-lookup.ts). */
  readonly lookup: LookupFunction;
  /** Why a numeric address, which is not looked up, is off limits; null: it is allowed. */
  readonly refusal: (address: string) => Error | null;
  /** Why a certificate does not prove enough; null: it does. Node.js has verified it, but accepted any. */
  readonly certificateFault: (socket: TLSSocket) => Error | null;
}

/** `host`: without brackets. */
export type RuleOf = (host: string, port: number) => ConnectionRule;

interface Target {
  readonly host?: string | null;
  readonly hostname?: string | null;
  readonly port?: number | string | null;
}

type Connected = (error: Error | null, socket: Duplex) => void;

export class CheckedAgents {
  readonly #plain: PlainAgent;
  readonly #tls: TlsAgent;

  /** Without `kept`, each connection is for one request. */
  constructor(ruleOf: RuleOf, kept: AgentOptions = {}) {
    this.#plain = new PlainAgent(ruleOf, kept);
    this.#tls = new TlsAgent(ruleOf, kept);
  }

  agentFor({ protocol }: URL): HttpAgent {
    return protocol === 'https:' ? this.#tls : this.#plain;
  }

  /** Ends all connections. */
  destroy(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }
}

class PlainAgent extends HttpAgent {
  readonly #ruleOf: RuleOf;

  constructor(ruleOf: RuleOf, kept: AgentOptions) {
    super(kept);
    this.#ruleOf = ruleOf;
  }

  override createConnection(target: Target): Duplex {
    const { host, port } = placeOf(target);
    const rule = this.#ruleOf(host, port);
    return refused(host, rule) ?? net.connect({ host, port, lookup: rule.lookup });
  }
}

class TlsAgent extends HttpsAgent {
  readonly #ruleOf: RuleOf;

  constructor(ruleOf: RuleOf, kept: AgentOptions) {
    super(kept);
    this.#ruleOf = ruleOf;
  }

  /** A socket is passed on only when its certificate has been checked: before that, nothing is sent. */
  override createConnection(target: Target, connected: Connected): undefined {
    const { host, port } = placeOf(target);
    const rule = this.#ruleOf(host, port);
    const socket = refused(host, rule);
    if (socket !== null) {
      socket.once('error', (error) => connected(error, socket));
      return;
    }
    const opened = tls.connect({
      host,
      port,
      lookup: rule.lookup,
      rejectUnauthorized: false,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
    });
    const failed = (error: Error): void => connected(error, opened);
    opened.once('error', failed);
    opened.once('secureConnect', () => {
      opened.off('error', failed);
      const fault = rule.certificateFault(opened);
      if (fault !== null) opened.destroy();
      connected(fault, opened);
    });
  }
}

function placeOf({ host, hostname, port }: Target): { readonly host: string; readonly port: number } {
  return { host: (host ?? hostname ?? '').replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** A connection that fails. */
function refused(host: string, rule: ConnectionRule): net.Socket | null {
  const refusal = net.isIP(host) === 0 ? null : rule.refusal(host);
  return refusal === null ? null : new net.Socket().destroy(refusal);
}
