/**
 * What a German file calls its columns, by the field that each fills: `Straße` is compared as
 * `strasse`, `Geschäftlich` as `geschaftlich` (see `wordsOf`).
 */
import type { ImportedKind } from './table.ts';

type Heads = Readonly<Record<string, RegExp>>;

const whose = '( (privat|geschaftlich|dienstlich|beruflich|arbeit|buro|zentrale|mobil))?( \\d)?';

const ofContacts: Heads = {
  type: /^(kontakt)?(art|typ)$/,
  fullName: /^(voller |vollstandiger |ganzer )name$|^kontakt$/,
  prefix: /^(anrede|titel)$/,
  firstName: /^vornamen?$/,
  middleName: /^(zweiter vorname|weitere vornamen|mittelname)$/,
  lastName: /^(nach|familien|zu)name$/,
  suffix: /^namenszusatz$/,
  nickname: /^(ruf|spitz)name$/,
  companyName: /^(firma|firmenname|name der firma|unternehmen|gesellschaft)$/,
  tradeName: /^(handelsname|marke)$/,
  companyType: /^(rechts|gesellschafts|unternehmens)form$/,
  emails: new RegExp(`^(private |geschaftliche )?(e ?)?mail( ?adresse)?${whose}$`),
  phones: new RegExp(
    `^(tel|telefon|mobil|mobiltelefon|handy|festnetz|ruf)( ?(nummer|nr))?${whose}$`,
  ),
};

const note =
  /^(notiz(en)?|bemerkung(en)?|anmerkung(en)?|(ihre |deine )?nachricht|(ihr |dein )?anliegen|sachverhalt|worum geht es)$/;
const practiceArea = /^(rechts|sach|fach)gebiet$/;
const stage = /^(phase|stufe)$/;

const clientOf = (part: string) =>
  new RegExp(`^${part}( (des )?mandant(in|en)?)?$|^mandant(in|en)? ${part}$`);

/** The German names of columns, by the kind of record and the field. */
export const germanHeads: Readonly<Record<ImportedKind, Heads>> = {
  contact: ofContacts,
  lead: {
    ...ofContacts,
    practiceArea,
    stage,
    value: /^wert$/,
    nextTouch: /^(nachster (schritt|kontakt)|wiedervorlage)( am)?$/,
    note,
    assignee: /^(zugewiesen( an)?|zustandig|(sach)?bearbeiter(in)?|betreuer(in)?)$/,
  },
  matter: {
    title: /^(titel|mandat|akte|aktenbezeichnung|bezeichnung|rubrum|kurzrubrum|betreff)$/,
    description: new RegExp(`${note.source}|^beschreibung$`),
    formerNumber: /^(akten|mandats)?(zeichen|nummer)$|^((akten|mandats) )?nr$|^az$/,
    practiceArea,
    stage,
    matterType: /^(mandats|akten|verfahrens)?(art|typ)$/,
    status: /^(akten|mandats)status$/,
    openDate: /^(eroffnet|angelegt|begonnen)( am)?$|^(eroffnung|mandatsbeginn|beginn|anlagedatum)$/,
    closeDate:
      /^(geschlossen|abgeschlossen|beendet|abgelegt)( am)?$|^(abschluss|mandatsende|ende|ablagedatum)$/,
    solDate: /^verjahr(ung|t)( am)?$|^verjahrungs(datum|frist)$/,
    client: /^(mandant(in|en)?|klient(in)?|auftraggeber(in)?)( name)?$|^mandantenname$/,
    clientFirstName: clientOf('vorname'),
    clientLastName: clientOf('(nach|familien)name'),
    clientCompany: clientOf('firma'),
    clientEmail: clientOf('e ?mail( ?adresse)?'),
    responsibleAttorney:
      /^((zustandige[rs]?|verantwortliche[rs]?) )?(rechts)?anw(alt|altin)$|^(sachbearbeiter(in)?|referent(in)?)$/,
    responsibleStaff: /^(sekretariat|assistenz|(rechtsanwalts)?fachangestellter?|refa)$/,
  },
};
