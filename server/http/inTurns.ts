// Builds replies that take long, such as large lists and searches through all trades, in steps: the first at once, the
// others in later turns of the loop, one step a turn, so that orders do not wait for them. Networks of clients alternate, so
// that none waits for all that another asks for; each has one reply built at a time, since half-built ones hold memory. Those
// that wait hold what their first steps made, so only so many may wait. Called by handle.ts with a handler's result. Data
// that a step has read may have changed by the next one.
import { unavailable } from '../wire/rejections.ts';
import type { Reply, ReplySteps } from './endpoint.ts';
import { httpLimits } from './limits.ts';

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

const isSteps = (made: Reply | ReplySteps): made is ReplySteps => 'next' in made;

/** The lines of all networks that wait for replies; each is also in one of the two queues below. */
const lines = new Map<string, Line>();
/** The lines whose first reply is being built, in the order of their next steps. */
const building: Line[] = [];
/** The lines that wait until fewer are being built. */
const waiting: Line[] = [];
/** The replies in all lines. */
let unfinishedCount = 0;

/**
 * Makes room for a reply in a line. If too many wait in all lines, the last one of the longest is refused, so that a few
 * networks cannot keep the others out.
 * @param length of the line, 0 if it does not exist
 * @throws BadRequest if it is too long, or too many wait and no other line would stay as long as this one becomes
 */
function makeRoom(length: number): void {
  const { networkRepliesMax, unfinishedRepliesMax } = httpLimits;
  if (length >= networkRepliesMax) {
    throw unavailable(
      `${length} long replies to this address wait to be built, and no more may; wait for some of them`,
    );
  }
  if (unfinishedCount < unfinishedRepliesMax) return;
  const tooMany = unavailable(`${unfinishedCount} long replies wait to be built, and no more may; ask again later`);
  let longest: Unfinished[] = [];
  for (const { replies } of lines.values()) if (replies.length > longest.length) longest = replies;
  if (longest.length <= length + 1) throw tooMany;
  longest.pop()?.reject(tooMany);
  unfinishedCount -= 1;
}

function add(network: string, reply: Unfinished): void {
  const line = lines.get(network);
  makeRoom(line?.replies.length ?? 0);
  unfinishedCount += 1;
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
    unfinishedCount -= 1;
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
 * The reply that a handler made, or that its steps will make; rejects with BadRequest if too many others wait.
 * @param client no further steps run once it has disconnected, and the reply is then undefined
 */
export function inTurns(made: Reply | ReplySteps, client: Client): Reply | Promise<Reply | undefined> {
  if (!isSteps(made)) return made;
  const { done, value } = made.next();
  if (done === true) return value;
  return new Promise((resolve, reject) => add(client.network, { steps: made, client, resolve, reject }));
}
