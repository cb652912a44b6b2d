/** The texts that the demonstration's people write. Several records use each. */

/** After a consultation that went well. */
export const consultations = [
  'Came with every paper in order. Clear case, realistic hopes. I would take it.',
  'Long talk. Knows what it costs and what it may bring. Sends the contract by Friday.',
  'Met by video. Wants to think it over with the family until next week.',
  'Good facts, one weak witness. Told so plainly; wants to go on all the same.',
];

/** When a lead ends without a matter. */
export const afterwards = [
  'Said so by phone, and thanked us for the quick answer.',
  'Wrote a short letter with two other addresses.',
  'Told what the deadline is and that we do not watch it.',
  'May come back next year. No hard feelings.',
];

export const matterNotes = [
  'Client called. All well; asks for news once a month, no more.',
  'The other side proposes a meeting. Dates sent.',
  'Documents are complete but for the bank statements of March.',
  'Spoke to the court’s office: nothing before the middle of next month.',
  'Client prefers letters to email. Noted with the contact.',
  'Draft went out for review. Two questions of style, none of substance.',
  'Settlement offer came in. Below what we would advise; answer drafted.',
  'Expert has time from the 12th on. Asked for an estimate of the fee.',
];

export const taskTitles = [
  'Order the file from the former lawyer',
  'Collect bank statements',
  'Draft the first letter',
  'Ask the insurer for the file number',
  'Prepare the bundle for the hearing',
  'Call the client with the news',
  'Check the limitation date against the calendar',
  'File the receipt of service',
];

export const leadTaskTitles = [
  'Call back about the fee',
  'Send the engagement letter',
  'Ask for the missing papers',
];

/** What events are called, and of which kind they are. */
export const events = [
  { title: 'First meeting with the client', kind: 'Meeting' },
  { title: 'Hearing on the timetable', kind: 'Hearing' },
  { title: 'Mediation', kind: null },
  { title: 'Signing', kind: 'Meeting' },
  { title: 'Call with the other side', kind: null },
] as const;
