"""Rating campaigns: the form, the draw, assignment, invitations, adjudication, exports."""
