"""The editor works in Firefox, too: findings after random edits, keys, paste, files and saving.

These are tests of the other modules, run in another browser.
"""

from __future__ import annotations

import pytest

from tests.reporting.browser import test_editing, test_editor, test_saving
from tests.reporting.browser.steps import keys
from tests.reporting.browser.test_saving import served  # noqa: F401 - a fixture


@pytest.fixture(scope="module")
def browser(firefox):
    return firefox


test_keys_and_undo = test_editing.test_cells_are_edited_with_the_keys_of_a_spreadsheet
test_rows = test_editing.test_rows_are_added_split_moved_and_deleted
test_paste = test_editing.test_a_selection_of_excel_is_pasted_with_new_rows_and_values
test_saved_page = test_editing.test_the_saved_page_opens_with_the_edited_rules
test_files = test_editing.test_files_read_back_as_the_same_rules
test_markup = test_editing.test_names_and_values_are_never_markup
test_rows_in_view = test_editing.test_only_rows_in_view_are_drawn
test_saving_on_disk = test_saving.test_rules_are_saved_and_changes_on_disk_are_noticed
test_notebook = test_saving.test_the_widget_takes_rules_of_its_own_frame_only


def test_random_edits(page_of):
    random_edits = test_editor.test_findings_are_those_of_irenic_after_every_random_edit
    random_edits(page_of, test_editor.set_of_rules)


@pytest.mark.slow
class TestFurther:
    """What CI runs in Chromium alone."""

    test_random_edits = staticmethod(
        test_editor.test_findings_are_those_of_irenic_after_every_random_edit
    )
    test_cells = staticmethod(test_editor.test_cells_mean_what_they_mean_in_spreadsheets)
    test_spellings = staticmethod(
        test_editor.test_cells_as_people_write_them_mean_what_they_mean_in_files
    )


def test_copy_and_paste_with_the_clipboard_of_the_browser(page_of):
    page = test_editing.open_editor(page_of, test_editing.fares())
    keys(page, "Control+Home", "Control+c", "ArrowDown", "Control+v")
    page.wait_for_function("() => editor.table.now.rows[1].cells[0].text === '< 18'")
    keys(page, "Control+z")
    assert test_editing.texts(page)[1][0] == "[18..65)"
