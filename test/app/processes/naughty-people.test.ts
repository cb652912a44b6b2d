/** Whatever is typed into whatever field of whatever form of contacts and leads, no answer and no page that shows it is a failure. */
import { fillForms } from './naughty-forms.ts';

fillForms('people');
