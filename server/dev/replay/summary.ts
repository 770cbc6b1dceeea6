// The closing sentences of a replay, and the agreement that its books must reach. Called by the command line, which prints
// them, and by the test of the recording.
import { counted, figure } from '../../lib/counted.ts';
import type { ReplayFigures, Tally } from './tally.ts';

/** Smallest share of agreeing levels for a replay to pass; prints hit what a row has already removed, so 1 is out of reach. */
export const AGREEMENT_MIN = 0.99;

/** A share of one as a percentage with two decimals, rounded down so that a figure never looks better than it is. */
export function percentText(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

const LABEL_WIDTH = 15;

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}

function groupLines(label: string, groups: ReadonlyMap<string, number>): string[] {
  if (groups.size === 0) return [labelled(label, 'nothing.')];
  return [...groups].map(([sentence, times]) => labelled(label, `${counted(times, 'time')}: ${sentence}`));
}

/** The lines that a replay ends with. */
export function summaryLines(tally: Tally, figures: ReplayFigures): string[] {
  return [...effortLines(tally, figures), ...outcomeLines(tally), ...bookLines(tally)];
}

/** The lines about what was sent and how fast. */
function effortLines(tally: Tally, { elapsedMs, recordedMs, requests, waits }: ReplayFigures): string[] {
  const seconds = Math.max(elapsedMs, 1) / 1000;
  const pace = (recordedMs / 1000 / seconds).toFixed(1);
  const rowsPerSecond = figure(Math.round(tally.rows / seconds));
  return [
    labelled(
      'Rows',
      `${figure(tally.rows)} in ${seconds.toFixed(1)} s: ${rowsPerSecond} rows/s, ${pace} times the recorded pace.`,
    ),
    labelled('Requests', `${figure(requests)}; told to come back later: ${counted(waits, 'time')}.`),
  ];
}

/** The lines about the outcomes of the orders. */
function outcomeLines(tally: Tally): string[] {
  const sent = `${figure(tally.ordersSent)} sent by ${counted(tally.wallets.size, 'wallet')}`;
  const became = `${figure(tally.ordersAccepted)} accepted, ${figure(tally.ordersCanceled)} cancelled`;
  const crossing = `${counted(tally.crossingAdds, 'row')} crossed the book`;
  const unfilled = `${figure(tally.printsUnfillable)} unfillable, ${figure(tally.printsBelowLot)} below one lot`;
  return [
    labelled('Orders', `${sent}, ${became}; ${figure(tally.secondTokenOrders)} named the second token.`),
    labelled('Trades', `${figure(tally.trades)} with ${counted(tally.fills, 'fill')}; ${crossing}.`),
    labelled('Prints', `${figure(tally.prints)}: ${figure(tally.printsFilled)} filled, ${unfilled}.`),
    ...groupLines('Rejected', tally.rejections),
    ...groupLines('Not cancelled', tally.cancelRefusals),
  ];
}

/** The lines that compare the books with the recorded ones. */
function bookLines(tally: Tally): string[] {
  const { levelsUnreached, strangersFilled, checkpoints, mirrorsBroken, levelsCompared, levelsUnexplained } = tally;
  const lines: string[] = [];
  if (levelsUnreached > 0) {
    lines.push(
      labelled('Unreached', `${counted(levelsUnreached, 'level')} could not be brought to the recorded size.`),
    );
  }
  if (strangersFilled > 0) {
    lines.push(labelled('Strangers', `${counted(strangersFilled, 'fill')} with orders of others in these markets.`));
  }
  const mirrored = `${figure(checkpoints - mirrorsBroken)} of ${figure(checkpoints)} checkpoints`;
  const compared = `${counted(levelsCompared, 'level')} at ${counted(checkpoints, 'checkpoint')}`;
  lines.push(
    labelled('Mirror', `the second token's book mirrored the first's at ${mirrored}.`),
    labelled(
      'Unexplained',
      `${counted(levelsUnexplained, 'level')} differed from what the replies to orders and cancels imply.`,
    ),
    labelled('Agreement', `${percentText(tally.agreement)} of ${compared} equal the recording in price and size.`),
  );
  return lines;
}
