// The two targets of an import: a running exchange, through its operator's interface, and the data directory of a stopped
// one, by opening it here. Created by cli.ts for command.ts. Neither keeps anything of an import that is not committed.

import { isFields } from '../lib/jsonFields.ts';
import { exchangeUrl } from '../process/exchangeUrl.ts';
import { fatal } from '../process/fatal.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { CatalogImport } from './catalogImport.ts';
import type { BadLine, ImportTarget } from './command.ts';

interface Refusal {
  /** Its sentence; the start of the whole reply if it is not an exchange's. */
  readonly reason: string;
  /** Whether the exchange does not know what became of the request. */
  readonly isUndecided: boolean;
}

function refusalIn(text: string): Refusal {
  try {
    const { error, code } = JSON.parse(text);
    if (typeof error === 'string') return { reason: error, isUndecided: code === 'outcome_unknown' };
  } catch {
    // not JSON: something else answers there
  }
  return { reason: text.slice(0, 200), isUndecided: false };
}

/** Where a running exchange listens, and the token of its operator. */
interface Access {
  readonly url: string;
  readonly adminToken: string;
}

function failOnOther(url: string): never {
  fatal('usage', `What answers at ${url} is not an exchange: name one with --url.`);
}

function failOnNoAnswer(url: string, reason: string): never {
  fatal('usage', `The exchange at ${url} does not answer (${reason}): start one, or name it with --url.`);
}

function failOnUnknownCommit(what: string): never {
  const rest = 'Either all of it was imported or nothing: import the file again, which is refused if it was imported.';
  fatal('unknown', `${what} ${rest}`);
}

/** The exchange may have committed it: it goes on without the connection. */
function failOnLostCommit(url: string, reason: string): never {
  const when = 'while the import was being committed';
  failOnUnknownCommit(`The connection to the exchange at ${url} was lost (${reason}) ${when}.`);
}

/**
 * Calls the operator's interface and returns the reply's JSON, which is trusted to be an exchange's.
 * @param onLost ends the import if there is no reply
 * @throws FatalError for any answer but success
 */
async function call(
  { url, adminToken }: Access,
  method: string,
  path: string,
  body?: object,
  onLost: (url: string, reason: string) => never = failOnNoAnswer,
) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const init: RequestInit = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const replied = fetch(new URL(path, url), init).then(async (reply) => [reply.status, await reply.text()] as const);
  // fetch reports only that it failed; the reason is in the error's cause
  const [status, text] = await replied.catch(({ cause }) => onLost(url, cause?.code ?? cause));
  if (status !== 200) {
    const { reason, isUndecided } = refusalIn(text);
    // Nothing but the commit is written to the log.
    if (isUndecided) failOnUnknownCommit(`The exchange at ${url} does not know whether the import was committed.`);
    fatal('usage', `The exchange at ${url} answered ${status}: ${reason}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    failOnOther(url);
  }
}

/** A running exchange that listens at `url`. @throws FatalError for any answer but success */
export async function runningTarget(url: string, adminToken: string): Promise<ImportTarget> {
  const access: Access = { url: exchangeUrl(url, ['http:', 'https:']).origin, adminToken };
  const begun: unknown = await call(access, 'POST', '/admin/imports');
  const id = isFields(begun) && typeof begun.id === 'string' ? begun.id : failOnOther(access.url);
  const path = `/admin/imports/${id}`;
  return {
    take: async (lines) => {
      const { errors }: { readonly errors: readonly BadLine[] } = await call(access, 'POST', `${path}/lines`, {
        lines,
      });
      return errors;
    },
    commit: () => call(access, 'POST', `${path}/commit`, undefined, failOnLostCommit),
    drop: () => call(access, 'DELETE', path),
  };
}

/** An exchange opened here for this import only. Its commit throws a FatalError if the exchange refuses the import. */
export function openedTarget(services: Services): ImportTarget {
  const lines = new CatalogImport(services);
  // Nothing is read after the import, so the views need not follow: the next process builds its own from the log.
  const onSubmit = (): void => services.exchange.endFollowing();
  const commit = (): ReturnType<ImportTarget['commit']> =>
    lines.commit(onSubmit).catch((error: unknown) => {
      if (error instanceof BadRequest) fatal('usage', `The exchange refuses the import: ${error.message}.`);
      throw error;
    });
  return { take: async (given) => lines.addAll(given), commit, drop: async () => {} };
}
