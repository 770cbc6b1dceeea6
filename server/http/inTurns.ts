// Builds replies that take long, such as large lists and searches through all trades, in steps: the first at once, the
// others in later turns of the loop, one step a turn, so that orders do not wait for them. Networks of clients alternate, so
// that none waits for all that another asks for; each has one reply built at a time, since half-built ones hold memory.
// Called by handle.ts with a handler's result. Data that a step has read may have changed by the next one.
import type { Handler, Reply, ReplySteps } from './endpoint.ts';
import { httpLimits } from './limits.ts';

type HandlerResult = ReturnType<Handler>;

/** The client waiting for a reply. */
interface Client {
  /** Whether it has closed the connection. */
  readonly isAborted: boolean;
  /** What counts as one client (networkOf). */
  readonly network: string;
}

interface Unfinished {
  readonly steps: ReplySteps;
  readonly client: Client;
  readonly resolve: (reply: Reply | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The unfinished replies to a network, in order of arrival. */
interface Line {
  readonly network: string;
  readonly replies: Unfinished[];
}

const isSteps = (result: HandlerResult): result is ReplySteps => 'next' in result;

/** The lines of all networks that wait for replies; each is also in one of the two queues below. */
const lines = new Map<string, Line>();
/** The lines whose first reply is being built, in the order of their next steps. */
const building: Line[] = [];
/** The lines that wait until fewer are being built. */
const waiting: Line[] = [];

function add(network: string, reply: Unfinished): void {
  const line = lines.get(network);
  if (line !== undefined) {
    line.replies.push(reply);
    return;
  }
  const first = { network, replies: [reply] };
  lines.set(network, first);
  (building.length < httpLimits.networksBuildingMax ? building : waiting).push(first);
  if (lines.size === 1) setImmediate(advance);
}

/** Runs the next step of the line whose turn it is. */
function advance(): void {
  const [line] = building.splice(0, 1);
  const isOver = runStep(line.replies[0]);
  if (isOver) {
    line.replies.shift();
    if (line.replies.length > 0) waiting.push(line);
    else lines.delete(line.network);
    building.push(...waiting.splice(0, 1));
  } else building.push(line);
  if (lines.size > 0) setImmediate(advance);
}

/** Runs a reply's next step, unless its client has disconnected. Returns whether the reply is done with. */
function runStep({ steps, client, resolve, reject }: Unfinished): boolean {
  if (client.isAborted) {
    resolve(undefined);
    return true;
  }
  try {
    const { done, value } = steps.next();
    if (done !== true) return false;
    resolve(value);
  } catch (error) {
    reject(error);
  }
  return true;
}

/**
 * The reply that a handler returned, or that its steps will return.
 * @param client no further steps run once it has disconnected, and the reply is then undefined
 */
export function inTurns(result: HandlerResult, client: Client): Reply | Promise<Reply | undefined> {
  if (!isSteps(result)) return result;
  const { done, value } = result.next();
  if (done === true) return value;
  return new Promise((resolve, reject) => add(client.network, { steps: result, client, resolve, reject }));
}
